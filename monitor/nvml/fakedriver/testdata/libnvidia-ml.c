/* A stand-in for the NVIDIA driver library, for tests on machines without a
 * GPU. It answers from the text file named in FAKE_NVML_CONFIG, which is read
 * again whenever it changes, and counts its calls in the file named in
 * FAKE_NVML_COUNTS. The layouts follow nvml.h; the code is our own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMED_OUT = 10, NO_FUNCTION = 13, VERSION_MISMATCH = 25 };
enum { MAX_GPUS = 64, MAX_PROCS = 128, MAX_MIG = 7, MAX_EVENTS = 512, NO_INSTANCE = 0xFFFFFFFF };

struct proc { unsigned pid, instance; uint64_t used; char list; };

struct gpu {
	char name[96], uuid[96];
	int name_len; /* -1: fill the whole buffer and leave out the NUL */
	uint64_t total, used, free, reserved, corrected, uncorrected, throttle;
	unsigned util, memutil, temp, power, limit, sm, mem;
	int minor, ret, handle_ret, hang, v1_ret, v2_ret, list_ret, ecc, remaps, retired, mig, gpm, gpm_ret, no_events;
	unsigned delay_ms;
	double act[4]; /* SM, tensor, FP32, DRAM */
	int nproc, nmig;
	struct proc procs[MAX_PROCS];
	unsigned mig_instance[MAX_MIG];
};

struct config {
	int gpus, init_ret, init_hang, layout, epoch, events_ret, wait_ret, wait_hang, nevents;
	struct { int gpu; uint64_t kind, data; } events[MAX_EVENTS];
	char driver[96];
	struct gpu gpu[MAX_GPUS];
};

struct device { int gpu; int mig; /* -1: the whole GPU */ };

static struct config conf;
static struct device whole[MAX_GPUS], parts[MAX_GPUS][MAX_MIG];
static int initialised, epoch;
static struct timespec seen;
static ino_t seen_inode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Counters: 64 slots of a name and a number in a shared file. */
struct slot { char name[56]; uint64_t calls; };
static struct slot *slots;

static void count_call(const char *name) {
	if (!slots) {
		const char *path = getenv("FAKE_NVML_COUNTS");
		int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
		void *at = MAP_FAILED;
		if (fd >= 0 && ftruncate(fd, 64 * sizeof(struct slot)) == 0)
			at = mmap(0, 64 * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (fd >= 0) close(fd);
		slots = at == MAP_FAILED ? calloc(64, sizeof(struct slot)) : at;
	}
	for (int i = 0; i < 64; i++) {
		if (!slots[i].name[0]) strncpy(slots[i].name, name, sizeof slots[i].name - 1);
		if (!strcmp(slots[i].name, name)) { slots[i].calls++; return; }
	}
}

static void defaults(struct config *c) {
	memset(c, 0, sizeof *c);
	strcpy(c->driver, "580.95.05");
	c->layout = 24;
	for (int i = 0; i < MAX_GPUS; i++) {
		struct gpu *g = &c->gpu[i];
		snprintf(g->name, sizeof g->name, "Fake GPU %d", i);
		snprintf(g->uuid, sizeof g->uuid, "GPU-00000000-0000-0000-0000-%012d", i);
		g->total = 80ull << 30; g->used = 10ull << 30; g->reserved = 1ull << 30; g->free = 69ull << 30;
		g->util = 50; g->memutil = 25; g->temp = 40; g->power = 300000; g->limit = 700000; g->sm = 1980; g->mem = 2619;
		g->minor = i;
		g->ecc = 1; g->remaps = 0; g->mig = 0; g->gpm = 1; g->retired = -1;
		g->act[0] = 60; g->act[1] = 30; g->act[2] = 10; g->act[3] = 20;
	}
}

static void set_proc(struct gpu *g, const char *value) {
	struct proc p = { .instance = NO_INSTANCE, .list = 'c' };
	char used[32] = "";
	if (g->nproc >= MAX_PROCS || sscanf(value, "%u %31s %c %u", &p.pid, used, &p.list, &p.instance) < 2) return;
	p.used = !strcmp(used, "na") ? UINT64_MAX : strtoull(used, 0, 10);
	g->procs[g->nproc++] = p;
}

/* The value of name and uuid may hold \xHH, so that a test can send bytes that
 * are no text; "unterminated" fills the buffer and leaves out the NUL. */
static int set_text(char *to, size_t size, const char *value) {
	size_t n = 0;
	if (!strcmp(value, "unterminated")) return -1;
	while (*value && n + 1 < size) {
		unsigned byte;
		if (value[0] == '\\' && value[1] == 'x' && sscanf(value + 2, "%2x", &byte) == 1) { to[n++] = (char)byte; value += 4; }
		else to[n++] = *value++;
	}
	to[n] = 0;
	return (int)n;
}

static void set_gpu(struct gpu *g, const char *key, const char *value) {
#define U64(k, f) if (!strcmp(key, k)) { g->f = strtoull(value, 0, 0); return; }
#define INT(k, f) if (!strcmp(key, k)) { g->f = (int)strtol(value, 0, 0); return; }
	U64("total", total) U64("used", used) U64("free", free) U64("reserved", reserved) U64("throttle", throttle)
	U64("corrected", corrected) U64("uncorrected", uncorrected)
	U64("util", util) U64("memutil", memutil) U64("temp", temp) U64("power", power) U64("limit", limit) U64("sm", sm) U64("mem", mem)
	INT("minor", minor) INT("ret", ret) INT("handle-ret", handle_ret) INT("hang", hang) INT("v1-ret", v1_ret) INT("v2-ret", v2_ret) INT("list-ret", list_ret)
	INT("ecc", ecc) INT("remaps", remaps) INT("retired", retired) INT("mig", mig) INT("gpm", gpm) INT("gpm-ret", gpm_ret) INT("delay-ms", delay_ms) INT("no-events", no_events)
	if (!strcmp(key, "activity")) sscanf(value, "%lf %lf %lf %lf", &g->act[0], &g->act[1], &g->act[2], &g->act[3]);
	else if (!strcmp(key, "name")) g->name_len = set_text(g->name, sizeof g->name, value);
	else if (!strcmp(key, "uuid")) set_text(g->uuid, sizeof g->uuid, value);
	else if (!strcmp(key, "proc")) set_proc(g, value);
	else if (!strcmp(key, "instance") && g->nmig < MAX_MIG) g->mig_instance[g->nmig++] = (unsigned)atoi(value);
}

static void set_line(struct config *c, char *line) {
	char key[32] = "", which[8] = "";
	int skip = 0;
	line[strcspn(line, "\n")] = 0;
	if (!strncmp(line, "gpu ", 4) && sscanf(line + 4, "%7s %31s %n", which, key, &skip) == 2) {
		for (int i = 0; i < MAX_GPUS; i++)
			if (!strcmp(which, "*") || atoi(which) == i) set_gpu(&c->gpu[i], key, line + 4 + skip);
	} else if (sscanf(line, "%31s %n", key, &skip) == 1) {
		const char *v = line + skip;
		if (!strcmp(key, "gpus")) c->gpus = atoi(v);
		else if (!strcmp(key, "init")) c->init_ret = atoi(v);
		else if (!strcmp(key, "init-hang")) c->init_hang = atoi(v);
		else if (!strcmp(key, "epoch")) c->epoch = atoi(v);
		else if (!strcmp(key, "layout")) c->layout = atoi(v);
		else if (!strcmp(key, "events-ret")) c->events_ret = atoi(v);
		else if (!strcmp(key, "wait-ret")) c->wait_ret = atoi(v);
		else if (!strcmp(key, "wait-hang")) c->wait_hang = atoi(v);
		else if (!strcmp(key, "event") && c->nevents < MAX_EVENTS &&
			 sscanf(v, "%d %lu %lu", &c->events[c->nevents].gpu, &c->events[c->nevents].kind, &c->events[c->nevents].data) == 3)
			c->nevents++;
		else if (!strcmp(key, "driver")) set_text(c->driver, sizeof c->driver, v);
	}
}

/* enter counts the call and reads the configuration when it has changed. */
static void enter(const char *name) {
	const char *path = getenv("FAKE_NVML_CONFIG");
	struct stat st;
	pthread_mutex_lock(&lock);
	count_call(name);
	if (path && stat(path, &st) == 0 &&
	    (st.st_ino != seen_inode || st.st_mtim.tv_sec != seen.tv_sec || st.st_mtim.tv_nsec != seen.tv_nsec)) {
		static struct config fresh;
		char line[512];
		FILE *f = fopen(path, "r");
		defaults(&fresh);
		while (f && fgets(line, sizeof line, f)) set_line(&fresh, line);
		if (f) fclose(f);
		seen = st.st_mtim; seen_inode = st.st_ino;
		conf = fresh;
		for (int i = 0; i < MAX_GPUS; i++) {
			whole[i] = (struct device){ i, -1 };
			for (int j = 0; j < MAX_MIG; j++) parts[i][j] = (struct device){ i, j };
		}
	}
	pthread_mutex_unlock(&lock);
}

static void hang(void) { for (;;) pause(); }

/* device_call is what every call with a device does first. */
static int device_call(const char *name, struct device *d, struct gpu *g) {
	enter(name);
	if (!initialised) return UNINITIALIZED;
	pthread_mutex_lock(&lock);
	int restarted = conf.init_ret || conf.epoch != epoch;
	*g = conf.gpu[d->gpu];
	pthread_mutex_unlock(&lock);
	if (restarted) return UNINITIALIZED;
	if (g->hang) hang();
	if (g->delay_ms) usleep(g->delay_ms * 1000);
	return g->ret;
}

#define DEVICE(fn) struct gpu g; int ret = device_call(fn, d, &g); if (ret) return ret

static int start(void) {
	if (conf.init_hang) hang();
	if (conf.init_ret) return conf.init_ret;
	initialised = 1;
	epoch = conf.epoch;
	return OK;
}
EXPORT int nvmlInit_v2(void) { enter("nvmlInit_v2"); return start(); }
EXPORT int nvmlInit(void) { enter("nvmlInit"); return start(); }
EXPORT int nvmlShutdown(void) { enter("nvmlShutdown"); if (!initialised) return UNINITIALIZED; initialised = 0; return OK; }
EXPORT const char *nvmlErrorString(int ret) { (void)ret; return "fake error"; }

EXPORT int nvmlSystemGetDriverVersion(char *to, unsigned n) {
	enter("nvmlSystemGetDriverVersion");
	snprintf(to, n, "%s", conf.driver);
	return OK;
}
static int device_count(unsigned *n) { if (!initialised) return UNINITIALIZED; *n = (unsigned)conf.gpus; return OK; }
EXPORT int nvmlDeviceGetCount_v2(unsigned *n) { enter("nvmlDeviceGetCount_v2"); return device_count(n); }
EXPORT int nvmlDeviceGetCount(unsigned *n) { enter("nvmlDeviceGetCount"); return device_count(n); }

static int handle(const char *fn, unsigned i, struct device **out) {
	enter(fn);
	if (!initialised) return UNINITIALIZED;
	if (i >= (unsigned)conf.gpus || i >= MAX_GPUS) return INVALID;
	if (conf.gpu[i].hang == 2) hang();
	*out = &whole[i];
	return conf.gpu[i].handle_ret;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct device **out) { return handle("nvmlDeviceGetHandleByIndex_v2", i, out); }
EXPORT int nvmlDeviceGetHandleByIndex(unsigned i, struct device **out) { return handle("nvmlDeviceGetHandleByIndex", i, out); }

EXPORT int nvmlDeviceGetName(struct device *d, char *to, unsigned n) {
	DEVICE("nvmlDeviceGetName");
	if (g.name_len < 0) memset(to, 'x', n);
	else snprintf(to, n, "%s", g.name);
	return OK;
}
EXPORT int nvmlDeviceGetUUID(struct device *d, char *to, unsigned n) {
	DEVICE("nvmlDeviceGetUUID");
	snprintf(to, n, "%s", g.uuid);
	return OK;
}

EXPORT int nvmlDeviceGetMinorNumber(struct device *d, unsigned *n) { DEVICE("nvmlDeviceGetMinorNumber"); if (g.minor < 0) return UNSUPPORTED; *n = (unsigned)g.minor; return OK; }

struct memory { unsigned long long total, free, used; };
struct memory_v2 { unsigned version; unsigned long long total, reserved, free, used; };

EXPORT int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m) {
	DEVICE("nvmlDeviceGetMemoryInfo");
	if (g.v1_ret && d->mig < 0) return g.v1_ret; /* a right to the whole is not asked of a part */
	unsigned long long share = d->mig >= 0 ? 8 : 1;
	*m = (struct memory){ g.total / share, g.free / share, (g.used + g.reserved) / share };
	return OK;
}
EXPORT int nvmlDeviceGetMemoryInfo_v2(struct device *d, struct memory_v2 *m) {
	DEVICE("nvmlDeviceGetMemoryInfo_v2");
	if (m->version != (sizeof *m | 2u << 24)) return NO_FUNCTION;
	if (g.v2_ret && d->mig < 0) return g.v2_ret;
	unsigned long long share = d->mig >= 0 ? 8 : 1;
	m->total = g.total / share; m->reserved = g.reserved / share; m->free = g.free / share; m->used = g.used / share;
	return OK;
}

EXPORT int nvmlDeviceGetUtilizationRates(struct device *d, unsigned *u) { DEVICE("nvmlDeviceGetUtilizationRates"); u[0] = g.util; u[1] = g.memutil; return OK; }
EXPORT int nvmlDeviceGetTemperature(struct device *d, int which, unsigned *t) { (void)which; DEVICE("nvmlDeviceGetTemperature"); *t = g.temp; return OK; }
EXPORT int nvmlDeviceGetPowerUsage(struct device *d, unsigned *p) { DEVICE("nvmlDeviceGetPowerUsage"); *p = g.power; return OK; }
EXPORT int nvmlDeviceGetEnforcedPowerLimit(struct device *d, unsigned *p) { DEVICE("nvmlDeviceGetEnforcedPowerLimit"); *p = g.limit; return OK; }
EXPORT int nvmlDeviceGetClockInfo(struct device *d, int which, unsigned *mhz) { DEVICE("nvmlDeviceGetClockInfo"); *mhz = which == 2 ? g.mem : g.sm; return OK; }
EXPORT int nvmlDeviceGetCurrentClocksEventReasons(struct device *d, unsigned long long *m) { DEVICE("nvmlDeviceGetCurrentClocksEventReasons"); *m = g.throttle; return OK; }
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *d, unsigned long long *m) { DEVICE("nvmlDeviceGetCurrentClocksThrottleReasons"); *m = g.throttle; return OK; }
EXPORT int nvmlDeviceGetEccMode(struct device *d, int *now, int *next) {
	DEVICE("nvmlDeviceGetEccMode");
	if (g.ecc < 0) return UNSUPPORTED;
	*now = *next = g.ecc;
	return OK;
}
EXPORT int nvmlDeviceGetTotalEccErrors(struct device *d, int kind, int counter, unsigned long long *n) {
	(void)counter;
	DEVICE("nvmlDeviceGetTotalEccErrors");
	if (g.ecc < 0) return UNSUPPORTED;
	*n = kind == 0 ? g.corrected : g.uncorrected;
	return OK;
}
EXPORT int nvmlDeviceGetRemappedRows(struct device *d, unsigned *corr, unsigned *unc, unsigned *pending, unsigned *failed) {
	DEVICE("nvmlDeviceGetRemappedRows");
	if (g.remaps < 0) return UNSUPPORTED;
	*corr = *unc = 0; *pending = g.remaps & 1; *failed = g.remaps >> 1 & 1;
	return OK;
}
EXPORT int nvmlDeviceGetRetiredPages(struct device *d, int cause, unsigned *n, unsigned long long *pages) {
	DEVICE("nvmlDeviceGetRetiredPages");
	if (g.retired < 0) return UNSUPPORTED;
	unsigned have = cause == 0 ? (unsigned)g.retired : 0;
	if (*n < have) { *n = have; return TOO_SMALL; }
	for (unsigned i = 0; i < have; i++) pages[i] = i;
	*n = have;
	return OK;
}

EXPORT int nvmlDeviceGetMigMode(struct device *d, unsigned *now, unsigned *next) { DEVICE("nvmlDeviceGetMigMode"); if (g.mig < 0) return UNSUPPORTED; *now = *next = (unsigned)g.mig; return OK; }
EXPORT int nvmlDeviceGetMaxMigDeviceCount(struct device *d, unsigned *n) { DEVICE("nvmlDeviceGetMaxMigDeviceCount"); *n = MAX_MIG; return OK; }
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(struct device *d, unsigned i, struct device **out) {
	DEVICE("nvmlDeviceGetMigDeviceHandleByIndex");
	if (i >= (unsigned)g.nmig) return NOT_FOUND;
	*out = &parts[d->gpu][i];
	return OK;
}
EXPORT int nvmlDeviceGetGpuInstanceId(struct device *d, unsigned *id) {
	DEVICE("nvmlDeviceGetGpuInstanceId");
	if (d->mig < 0) return UNSUPPORTED;
	*id = g.mig_instance[d->mig];
	return OK;
}

/* running writes entries of 16, 24 or 32 bytes, as drivers do. */
static int running(const char *fn, char list, int layout, struct device *d, unsigned *n, char *to) {
	DEVICE(fn);
	if (g.list_ret && d->mig < 0) return g.list_ret;
	unsigned have = 0;
	for (int pass = 0; pass < 2; pass++) {
		unsigned at = 0;
		for (int i = 0; i < g.nproc; i++) {
			struct proc *p = &g.procs[i];
			if (p->list != list || (d->mig >= 0 && p->instance != g.mig_instance[d->mig])) continue;
			if (pass == 1) {
				char *e = to + (size_t)at * (size_t)layout;
				memset(e, 0, (size_t)layout);
				memcpy(e, &p->pid, 4);
				memcpy(e + 8, &p->used, 8);
				if (layout > 16) { memcpy(e + 16, &p->instance, 4); memcpy(e + 20, &p->instance, 4); }
			}
			at++;
		}
		have = at;
		if (pass == 0 && have > *n) { *n = have; return TOO_SMALL; }
	}
	*n = have;
	return OK;
}
#define LISTS(kind, c)                                                                                              \
	EXPORT int nvmlDeviceGet##kind##RunningProcesses_v3(struct device *d, unsigned *n, char *to) { return running("nvmlDeviceGet" #kind "RunningProcesses_v3", c, conf.layout, d, n, to); } \
	EXPORT int nvmlDeviceGet##kind##RunningProcesses_v2(struct device *d, unsigned *n, char *to) { return running("nvmlDeviceGet" #kind "RunningProcesses_v2", c, 24, d, n, to); } \
	EXPORT int nvmlDeviceGet##kind##RunningProcesses(struct device *d, unsigned *n, char *to) { return running("nvmlDeviceGet" #kind "RunningProcesses", c, 16, d, n, to); }
LISTS(Compute, 'c')
LISTS(Graphics, 'g')
LISTS(MPSCompute, 'm')

struct support { unsigned version, supported; };
struct sample { int gpu; unsigned filled; };
struct metric { unsigned id, ret; double value; char *names[3]; };
struct metrics { unsigned version, count; struct sample *before, *after; struct metric metric[]; };

EXPORT int nvmlGpmQueryDeviceSupport(struct device *d, struct support *s) { DEVICE("nvmlGpmQueryDeviceSupport"); if (s->version != 1) return VERSION_MISMATCH; s->supported = (unsigned)g.gpm; return OK; }
EXPORT int nvmlGpmSampleAlloc(struct sample **s) { enter("nvmlGpmSampleAlloc"); *s = calloc(1, sizeof **s); return OK; }
EXPORT int nvmlGpmSampleFree(struct sample *s) { enter("nvmlGpmSampleFree"); free(s); return OK; }
EXPORT int nvmlGpmSampleGet(struct device *d, struct sample *s) { DEVICE("nvmlGpmSampleGet"); if (g.gpm_ret) return g.gpm_ret; s->gpu = d->gpu; s->filled++; return OK; }
EXPORT int nvmlGpmMetricsGet(struct metrics *m) {
	enter("nvmlGpmMetricsGet");
	if (m->version != 1 || !m->before->filled || !m->after->filled || m->before->filled < m->after->filled - 1) return INVALID;
	struct gpu *g = &conf.gpu[m->before->gpu];
	for (unsigned i = 0; i < m->count; i++) {
		unsigned id = m->metric[i].id;
		m->metric[i].ret = OK;
		m->metric[i].value = id == 2 ? g->act[0] : id == 5 ? g->act[1] : id == 12 ? g->act[2] : id == 10 ? g->act[3] : -1;
	}
	return OK;
}

/* Events are the lines "event GPU KIND DATA" of the configuration, each told
 * once, in order. A wait blocks until the file changes, as the driver's does:
 * it looks at nothing in between. */
struct set { int told; };
struct event { struct device *device; uint64_t kind, data; unsigned gi, ci; };

EXPORT int nvmlEventSetCreate(struct set **s) { enter("nvmlEventSetCreate"); if (conf.events_ret) return conf.events_ret; *s = calloc(1, sizeof **s); return OK; }
EXPORT int nvmlEventSetFree(struct set *s) { enter("nvmlEventSetFree"); free(s); return OK; }
EXPORT int nvmlDeviceGetSupportedEventTypes(struct device *d, uint64_t *kinds) { DEVICE("nvmlDeviceGetSupportedEventTypes"); *kinds = g.no_events ? 0 : 0x1b; return OK; }
EXPORT int nvmlDeviceRegisterEvents(struct device *d, uint64_t kinds, struct set *s) { (void)s; DEVICE("nvmlDeviceRegisterEvents"); return kinds & ~0x1bull ? INVALID : OK; }

static int wait_event(const char *fn, struct set *s, struct event *e, unsigned ms) {
	int changes = inotify_init1(IN_CLOEXEC), ret = TIMED_OUT;
	char dir[4096], junk[4096];
	snprintf(dir, sizeof dir, "%s", getenv("FAKE_NVML_CONFIG"));
	*strrchr(dir, '/') = 0;
	inotify_add_watch(changes, dir, IN_MOVED_TO | IN_CLOSE_WRITE);
	do {
		enter(fn);
		if (conf.wait_hang) hang();
		if (!initialised || conf.epoch != epoch) ret = UNINITIALIZED;
		else if (conf.wait_ret && s->told >= conf.nevents) ret = conf.wait_ret;
		else if (s->told < conf.nevents) {
			*e = (struct event){ &whole[conf.events[s->told].gpu], conf.events[s->told].kind, conf.events[s->told].data, 0, 0 };
			s->told++;
			ret = OK;
		}
	} while (ret == TIMED_OUT && poll(&(struct pollfd){ .fd = changes, .events = POLLIN }, 1, (int)ms) > 0 && read(changes, junk, sizeof junk) > 0);
	close(changes);
	return ret;
}
EXPORT int nvmlEventSetWait(struct set *s, struct event *e, unsigned ms) { return wait_event("nvmlEventSetWait", s, e, ms); }
EXPORT int nvmlEventSetWait_v2(struct set *s, struct event *e, unsigned ms) { return wait_event("nvmlEventSetWait_v2", s, e, ms); }
