//go:build linux && cgo && (amd64 || arm64)

/* Every function is a jump through a slot of its own. The slot first leads to
   bind, which keeps the registers that carry arguments, looks the function up
   and goes there. All of NVML's arguments are integers and pointers (nvml.h). */

#if defined(__x86_64__)

.macro F name
	.pushsection .data.rel.local, "aw", @progbits
	.balign 8
slot_\name:
	.quad first_\name
	.popsection
	.pushsection .rodata
name_\name:
	.asciz "\name"
	.popsection
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	jmp *slot_\name(%rip)
first_\name:
	lea slot_\name(%rip), %r11
	lea name_\name(%rip), %r10
	jmp bind
	.size \name, . - \name
.endm

	.text
bind:
	push %rdi
	push %rsi
	push %rdx
	push %rcx
	push %r8
	push %r9
	sub $8, %rsp
	mov %r10, %rdi
	mov %r11, %rsi
	call vramscope_nvml_find
	add $8, %rsp
	pop %r9
	pop %r8
	pop %rcx
	pop %rdx
	pop %rsi
	pop %rdi
	jmp *%rax

#elif defined(__aarch64__)

.macro F name
	.pushsection .data.rel.local, "aw", %progbits
	.balign 8
slot_\name:
	.quad first_\name
	.popsection
	.pushsection .rodata
name_\name:
	.asciz "\name"
	.popsection
	.globl \name
	.hidden \name
	.type \name, %function
	.balign 4
\name:
	adrp x16, slot_\name
	ldr x16, [x16, :lo12:slot_\name]
	br x16
first_\name:
	adrp x17, slot_\name
	add x17, x17, :lo12:slot_\name
	adrp x16, name_\name
	add x16, x16, :lo12:name_\name
	b bind
	.size \name, . - \name
.endm

	.text
	.balign 4
bind:
	stp x29, x30, [sp, #-80]!
	mov x29, sp
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	mov x0, x16
	mov x1, x17
	bl vramscope_nvml_find
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldp x29, x30, [sp], #80
	br x16

#endif

#include "names.h"

	.section .note.GNU-stack, "", %progbits
