package scrub

import (
	"regexp"
	"strings"
)

// how is the way in which a value stands behind its name. A colon is common
// in prose and in training logs, so it proves least.
type how uint8

const (
	byOption     how = iota // --name VALUE
	byAssignment            // NAME=VALUE
	byColon                 // name: VALUE
)

// secrecy is how surely a name means a secret.
type secrecy uint8

const (
	harmless   secrecy = iota
	keyLike            // key, auth: only a value that looks like a secret
	tokenish           // token: unless the value is a number or a word of a vocabulary
	serviceKey         // kaggle.key: but for prose, where it must look like a secret
	pairOr             // auth: only a value that looks like a secret, or name:password
	fileOr             // credentials, private key: unless the value is a path
	surely
)

// isSecret tells whether the value behind the name must be masked.
func isSecret(name, value string, by how) bool {
	if harmlessValue(value) {
		return false
	}
	switch secrecyOf(words(name)) {
	case harmless:
		return false
	case keyLike:
		return looksRandom(value)
	case serviceKey:
		return by != byColon || looksRandom(value)
	case pairOr:
		return looksRandom(value) || by != byColon && pair.MatchString(value)
	case tokenish:
		// An option called --token alone takes a right to enter, even one that
		// is all digits; --dim-token takes a figure.
		if vocabulary.MatchString(value) || number.MatchString(value) && (by != byOption || len(words(name)) > 1) {
			return false
		}
		return by != byColon || looksRandom(value)
	case fileOr:
		return !path.MatchString(value) && (by != byColon || !number.MatchString(value))
	case surely:
		return true
	}
	return true
}

// secrecyOf judges a name by its last words: --token-batch is about a batch,
// --hf-token about a token.
func secrecyOf(w []string) secrecy {
	if len(w) == 0 {
		return harmless
	}
	last, before := w[len(w)-1], ""
	if len(w) > 1 {
		before = w[len(w)-2]
	}
	switch last {
	case "password", "passwords", "passwd", "passphrase", "passcode", "passwrd", "secret", "secrets", "apikey", "apikeys", "authorization", "sshpass", "pgpass":
		return surely
	case "credential", "credentials", "cred", "creds", "pwd", "pw", "psw", "pswd", "pass", "privatekey", "sshkey":
		if last == "pass" && before != "" {
			return keyLike // forward_pass=0.31
		}
		return fileOr
	case "key", "keys":
		return secrecyOfKey(before)
	case "id":
		if before == "key" && len(w) > 2 && w[len(w)-3] == "access" {
			return surely
		}
		return harmless
	case "token":
		if modelWords[before] {
			return harmless
		}
		if accountWords[before] {
			return surely
		}
		return tokenish
	case "auth":
		return pairOr
	case "sig", "signature", "sas", "cookie", "session", "webhook", "pat":
		return keyLike
	}
	return secrecyOfGlued(last)
}

func secrecyOfKey(before string) secrecy {
	switch before {
	case "api", "access", "secret", "encryption", "signing", "license", "account", "subscription", "wandb", "openai", "anthropic", "master":
		return surely
	case "private", "ssh", "service":
		return fileOr
	}
	if serviceWords[before] {
		return serviceKey
	}
	return keyLike
}

// secrecyOfGlued judges names written without a separator (PGPASSWORD,
// hftoken, secretkey).
func secrecyOfGlued(word string) secrecy {
	for _, end := range []string{"password", "passwd", "apikey", "accesskey", "secretkey", "accesstoken", "authtoken"} {
		if strings.HasSuffix(word, end) {
			return surely
		}
	}
	if rest, ok := strings.CutSuffix(word, "token"); ok && !modelWords[rest] {
		return tokenish
	}
	return harmless
}

// modelWords stand before "token" when it is a piece of a sentence.
var modelWords = set(`pad eos bos sos unk sep cls mask image img video audio special additional start end stop next
	per each new begin final prompt last first target source tgt src think thinking reasoning added extra max min num n
	total avg mean top placeholder initializer instance modifier trigger class lang language code text input output
	generated draft ignore valid blank dummy user assistant system decoder encoder de`)

// accountWords stand before "token" when it is a right to enter.
var accountWords = set(`access auth api bearer hf huggingface hub github gh gitlab wandb slack session refresh security
	oauth bot personal csrf deploy login npm pypi vault ngc telegram discord swanlab comet neptune mlflow replicate`)

// serviceWords stand before "key" when it opens an account there.
var serviceWords = set(`kaggle hf huggingface hub github gitlab comet neptune ngc nvidia aws azure gcp google gemini s3 minio
	client app admin bot telegram slack discord sendgrid twilio stripe cohere mistral groq together replicate modal runpod
	lambda vast clearml mlflow swanlab dagshub roboflow labelbox serper serpapi tavily pinecone qdrant weaviate deepseek
	openrouter langchain langsmith langfuse elevenlabs deepgram assemblyai vault consul redis db database auth login storage`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(list) {
		m[word] = true
	}
	return m
}

// words splits a name at separators and at changes from lower to upper case.
func words(name string) []string {
	var list []string
	start := 0
	for i := 0; i <= len(name); i++ {
		separator := i == len(name) || name[i] == '_' || name[i] == '-' || name[i] == '.'
		hump := !separator && i > start && isUpper(name[i]) && isLower(name[i-1])
		if !separator && !hump {
			continue
		}
		if i > start {
			list = append(list, strings.ToLower(name[start:i]))
		}
		start = i
		if separator {
			start = i + 1
		}
	}
	return list
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

var (
	// number holds figures with or without a unit; longer ones are no figure
	// of a log.
	number = regexp.MustCompile(`^[-+~]?[0-9][0-9.,_]{0,12}(?:[eE][-+]?[0-9]{1,3})?[A-Za-z%/]{0,6}[,;)\]}]*$`)

	// vocabulary holds special words of a tokenizer: <pad>, [MASK], </s>, <|im_end|>.
	vocabulary = regexp.MustCompile(`^(?:<[^<>]{0,40}>|\[[A-Z_0-9]{1,40}\])[,;)\]}]*$`)

	// pair holds name:password; a URL, a time and a figure are none.
	pair = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.@-]*:[^\s/:][^\s/]*$`)

	path     = regexp.MustCompile(`^(?:[/~]|\.\.?/)|\.(?:json|pem|key|ya?ml|toml|txt|ini|env)$`)
	variable = regexp.MustCompile(`^\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\}|\(.*)$`)
	uuid     = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	encoded  = regexp.MustCompile(`^[A-Za-z0-9+/_=.~%-]+$`)
)

// harmlessValue tells values that say whether there is a secret, or where.
func harmlessValue(value string) bool {
	switch strings.ToLower(strings.TrimRight(value, ",;)]}")) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null", "nil", Mask:
		return true
	}
	return variable.MatchString(value)
}

// looksRandom tells long hexadecimal and base64 from words.
func looksRandom(value string) bool {
	value = strings.TrimRight(value, ",;)]}")
	if uuid.MatchString(value) {
		return true
	}
	if !encoded.MatchString(value) || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/") {
		return false
	}
	for _, run := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("_-./~%", r) }) {
		k := kindsIn(run)
		if len(run) >= 16 && k.digit && (k.lower || k.upper) || len(run) >= 32 && k.digit {
			return true
		}
	}
	k := kindsIn(value)
	return len(value) >= 32 && k.lower && k.upper && k.digit && !strings.Contains(value, "/")
}
