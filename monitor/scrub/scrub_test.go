package scrub_test

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor/scrub"
)

// hex40 has the shape of a Weights & Biases key and belongs to nobody.
const hex40 = "0123456789abcdef0123456789abcdef01234567"

func TestSecretsOfACommandLineAreMasked(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"python", "train.py", "--token", "abcdef"}, "python train.py --token ***"},
		{[]string{"python", "t.py", "--api-key=abc def", "--lr", "1e-4"}, "python t.py --api-key=*** --lr 1e-4"},
		{[]string{"python", "t.py", "--password", "two words", "--epochs", "3"}, "python t.py --password *** --epochs 3"},
		{[]string{"python", "t.py", "--password", "-leadingdash"}, "python t.py --password ***"},
		{[]string{"python", "t.py", "-token", "abcdef"}, "python t.py -token ***"},
		{[]string{"env", "HF_TOKEN=abc", "WANDB_API_KEY=" + hex40, "python", "t.py"}, "env HF_TOKEN=*** WANDB_API_KEY=*** python t.py"},
		{[]string{"env", "AWS_ACCESS_KEY_ID=AKIAABCDEFGHIJKLMNOP", "AWS_SECRET_ACCESS_KEY=ab/cd+ef", "AWS_SESSION_TOKEN=x"}, "env AWS_ACCESS_KEY_ID=*** AWS_SECRET_ACCESS_KEY=*** AWS_SESSION_TOKEN=***"},
		{[]string{"python", "t.py", "+logger.wandb.api_key=" + hex40}, "python t.py +logger.wandb.api_key=***"},
		{[]string{"python", "t.py", "--wandb_key", "short"}, "python t.py --wandb_key ***"},
		{[]string{"python", "t.py", "--clientSecret", "x1"}, "python t.py --clientSecret ***"},
		{[]string{"python", "t.py", "--key", "dGhpc2lzYXNlY3JldGtleTEyMzQ1Ng=="}, "python t.py --key ***"},
		{[]string{"python", "t.py", `{"token": "abcdef", "lr": 0.1}`}, `python t.py {"token": "***", "lr": 0.1}`},
		{[]string{"sh", "-c", "export HF_TOKEN=abc; wandb login " + hex40 + " && python t.py"}, "sh -c export HF_TOKEN=*** wandb login *** && python t.py"},
		{[]string{"python", "t.py", "--token", "123456", "--token=123456"}, "python t.py --token *** --token=***"},
		{[]string{"python", "-c", "os.environ['HF_TOKEN'] = 'abc'; login(token='abcdef')"}, "python -c os.environ['HF_TOKEN'] = '***'; login(token='***')"},
		{[]string{"python", "t.py", "https://host/c?v=1&sig=abc%2Fdef0123456789012345%3D&e=1"}, "python t.py https://host/c?v=1&sig=***&e=1"},
		{[]string{"docker", "login", "-u", "ann", "-p", "hunter2"}, "docker login -u ann -p ***"},
		{[]string{"sshpass", "-p", "hunter2", "ssh", "ann@host"}, "sshpass -p *** ssh ann@host"},
		{[]string{"/usr/bin/mysql", "-uann", "-phunter2", "runs"}, "/usr/bin/mysql -uann -p*** runs"},
		{[]string{"curl", "-u", "ann:hunter2", "https://host/x"}, "curl -u *** https://host/x"},
		{[]string{"curl", "-H", "Authorization: Bearer abcdef0123456789"}, "curl -H Authorization: Bearer ***"},
		{[]string{"curl", "-H", "Authorization: Basic YW5uOmh1bnRlcjI="}, "curl -H Authorization: Basic ***"},
		{[]string{"curl", "-H", "X-Api-Key: abc"}, "curl -H X-Api-Key: ***"},
		{[]string{"python", "t.py", "--db", "postgresql://ann:hunter2@db:5432/runs"}, "python t.py --db postgresql://***@db:5432/runs"},
		{[]string{"python", "t.py", "--redis", "redis://:hunter2@cache/0"}, "python t.py --redis redis://***@cache/0"},
		{[]string{"python", "t.py", "https://host/data?token=abc&part=3"}, "python t.py https://host/data?token=***&part=3"},
		{[]string{"vllm", "serve", "sk-abcdefghijklmnopqrst"}, "vllm serve ***"},
		{[]string{"x", "hf_abcdefghijklmnopqrstuvwxyz", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}, "x *** ***"},
		{[]string{"x", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "y"}, "x *** y"},
		{[]string{"mysql", "-u", "ann", "-p", "hunter2", "runs"}, "mysql -u ann -p *** runs"},
		{[]string{"sudo", "-u", "ann", "mysqldump", "-phunter2", "runs"}, "sudo -u ann mysqldump -p*** runs"},
		{[]string{"sh", "-c", "mysql -uann -phunter2 runs"}, "sh -c mysql -uann -p*** runs"},
		{[]string{"bash", "-c", "cd /x && docker login -u ann -p hunter2; docker run -p 80 x"}, "bash -c cd /x && docker login -u ann -p *** docker run -p 80 x"},
		{[]string{"sshpass", "-phunter2", "ssh", "ann@host"}, "sshpass -p*** ssh ann@host"},
		{[]string{"helm", "registry", "login", "-u", "ann", "-p", "hunter2", "host"}, "helm registry login -u ann -p *** host"},
		{[]string{"mongodump", "-p", "hunter2"}, "mongodump -p ***"},
		{[]string{"ldapsearch", "-w", "hunter2", "-b", "dc=x"}, "ldapsearch -w *** -b dc=x"},
		{[]string{"7z", "x", "-phunter2", "a.7z"}, "7z x -p*** a.7z"},
		{[]string{"unzip", "-P", "hunter2", "a.zip"}, "unzip -P *** a.zip"},
		{[]string{"smbclient", "-U", "ann%hunter2", "//h/s"}, "smbclient -U *** //h/s"},
		{[]string{"curl", "--user", "ann:hunter2", "https://host"}, "curl --user *** https://host"},
		{[]string{"openssl", "rsa", "-passin", "pass:hunter2"}, "openssl rsa -passin ***"},
		{[]string{"redis-cli", "-h", "cache", "-a", "hunter2"}, "redis-cli -h cache -a ***"},
		{[]string{"python", "t.py", "--kaggle.key", "x", "--kaggle.username", "ann"}, "python t.py --kaggle.key *** --kaggle.username ann"},
		{[]string{"python", "t.py", "--logger.comet-key=x", "--hf_key", "y"}, "python t.py --logger.comet-key=*** --hf_key ***"},
		{[]string{"python", "t.py", "--gradio-auth", "ann:hunter2", "--db.creds", "ann:hunter2"}, "python t.py --gradio-auth *** --db.creds ***"},
		{[]string{"python", "t.py", "--redis.psw", "x", "--zip-passcode=1234"}, "python t.py --redis.psw *** --zip-passcode=***"},
		{nil, ""},
	} {
		if got := scrub.Command(c.args); got != c.want {
			t.Errorf("Command(%q)\n got %q\nwant %q", c.args, got, c.want)
		}
	}
}

func TestOrdinaryCommandLinesStayAsTheyAre(t *testing.T) {
	for _, line := range []string{
		"python train.py --tokenizer gpt2 --max-tokens 4096 --token-batch 3 --tokens-per-batch 8192",
		"python train.py --pad_token <pad> --eos-token </s> --placeholder_token <cat-toy> --initializer_token toy",
		"python train.py --use_auth_token True --push_to_hub_token --bf16",
		"python -m torch.distributed.run --nproc_per_node 8 --rdzv_endpoint=node:29500 --rdzv_id 12 train.py",
		"python train.py --text-key input_ids --dataset_key=train --image_key model_layers_12_attention_weights",
		"python train.py -p 8080 --config configs/a.yaml --password-file /run/pw --private-key /home/ann/id.pem",
		"accelerate launch --num_processes 4 t.py --model_name_or_path org/model-7b-hf --output_dir /data/hf_out",
		"pip install git+https://github.com/org/repo@v1.0 git+ssh://git@github.com/org/repo",
		"python t.py --commit 0123456789abcdef0123456789abcdef01234567 --keys q,k,v --passes 3 --session 4",
		"sh -c python t.py --token $HF_TOKEN --api-key ${KEY}",
		"docker run -p 8080:80 -v /data:/data image",
		"python t.py --dim_token 3 --head_key 12 --num-key-value-heads 8",
		"aws s3 cp s3://bucket/path/model.safetensors .",
		"python t.py --batch-key-size 4 --keypoints 17 --max-tokens 512 --tokenizer gpt2 --key-padding-mask causal --monkey see",
		"python t.py --auth none --auth basic --login-timeout 3 --db.port 5432 --app.name x --image.key image --label-key label",
		"ssh -p 2222 ann@host python t.py -p 8080 -a 3 -w 4 -P 2 -u",
		"mkdir -p /data/mysql/runs",
		"rsync -e ssh -p --partial mysqlsh.py /data",
		"docker run -u 1000:1000 -p 80:80 curlimages/curl https://host",
		"jupyter lab --port 8888 --ip 0.0.0.0",
		"python t.py task-scheduling-with-many-words --lr=1e-4 optimizer.key=adam",
	} {
		if got := scrub.Command(strings.Split(line, " ")); got != line {
			t.Errorf("Command\n got %q\nwant %q", got, line)
		}
	}
}

func TestSecretsOfALogLineAreMasked(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"logging in with token=abcdefgh", "logging in with token=***"},
		{"using api_key: 'abc'", "using api_key: '***'"},
		{"Args: ['t.py', '--token', 'abcdef', '--lr', '1']", "Args: ['t.py', '--token', '***', '--lr', '1']"},
		{`{\"password\": \"abc\", \"n\": 1}`, `{\"password\": \"***\", \"n\": 1}`},
		{"Bearer abcdefgh1 was refused", "Bearer *** was refused"},
		{"machine api.example.org login user password " + hex40, "machine api.example.org login user password ***"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----", "***"},
		{"MIIEowIBAAKCAQEAr3Xk2n9mD0q1vF7yTz8bHn5cLw4sEe6uJg0pQxRtYhKoZiVd", "***"},
		{"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def", "jwt ***"},
		{"Authorization: Token abcdef", "Authorization: Token ***"},
		{"AccountKey=abc/def+ghi==;EndpointSuffix=x", "AccountKey=***"},
		{"https://host/?X-Amz-Credential=a&X-Amz-Signature=0123456789abcdef0123456789abcdef", "https://host/?X-Amz-Credential=***&X-Amz-Signature=***"},
		{"PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"},
	} {
		if got := scrub.Text(c.line); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.line, got, c.want)
		}
	}
}

func TestLogLinesWithFiguresStayAsTheyAre(t *testing.T) {
	for _, line := range []string{
		"step 100 | loss 2.31 | loss_per_token: 0.0123 | tokens/s: 41,231 | mem 20.3 GiB",
		"ms_per_token=12.3ms tokens: 4096 token: 17 num_tokens=8192 token=512",
		"allocated: 20.31 GiB, reserved: 91.20GiB, max_memory_allocated = 33100000000",
		"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB",
		"next token: 'the', eos_token: </s>, pad token: <pad>, token: [MASK]",
		"Bearer authentication is off; session: 12; pass: 3; forward_pass=0.31s",
		"{'train_loss': 1.2, 'key': 'value', 'sort_key': 'length', 'token': '<s>'}",
		"saved to /data/runs/2026-01-02T03:04:05/key=val/checkpoint-1000/model.safetensors",
		"sha256 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"PWD=/home/ann/run OLDPWD=~/x",
		"12:30:01 auth: ok, auth=basic, session auth: 10:20:30, key points: 17, app_key: sort",
		"Setting `pad_token_id` to `eos_token_id`:50256 for open-end generation.",
		"",
	} {
		if got := scrub.Text(line); got != line {
			t.Errorf("Text\n got %q\nwant %q", got, line)
		}
	}
}

func FuzzTextIsIdempotentAndBounded(f *testing.F) {
	for _, s := range []string{
		"--token abc", `"token": "x`, "a://b:c@d@e", "token=token=token=x", "Authorization: Bearer Bearer x",
		"password:'a'b'c' secret=\\\"x", "--password --password x", "login " + hex40, "key=\xff\xfe token=\x00",
		"-----BEGIN PRIVATE KEY-----", "://a:b@://c:d@", "api-key = = x", "secret=***x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := scrub.Text(s)
		if twice := scrub.Text(once); twice != once {
			t.Errorf("Text is not idempotent on %q: %q then %q", s, once, twice)
		}
		if len(once) > 3*len(s) {
			t.Errorf("Text(%q) grew from %d to %d bytes", s, len(s), len(once))
		}
	})
}

func FuzzCommandMasksTheValueOfAPassword(f *testing.F) {
	f.Add("train.py", "hunter2")
	f.Add("a b", "x'y\"z")
	f.Add("--token", " ")
	f.Fuzz(func(t *testing.T, word, password string) {
		args := []string{"python", word, "--password", "Q7" + password + "7Q"}
		got := scrub.Command(args)
		if strings.HasPrefix(word, "-") {
			return
		}
		if !strings.Contains(word, "Q7") && strings.Contains(got, "Q7"+password+"7Q") {
			t.Errorf("Command(%q) = %q shows the password", args, got)
		}
		if scrub.Text(got) != got {
			t.Errorf("Command(%q) = %q is not clean", args, got)
		}
		if len(got) > 3*len(strings.Join(args, " ")) {
			t.Errorf("Command(%q) grew to %d bytes", args, len(got))
		}
	})
}

func BenchmarkTextOfAMemoryLine(b *testing.B) {
	line := "step 100 | loss 2.31 | lr 1.0e-4 | grad_norm: 0.91 | tokens/s: 41,231 | allocated: 20.31 GiB, reserved: 91.20GiB, max_memory_allocated = 33100000000"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		scrub.Text(line)
	}
}
