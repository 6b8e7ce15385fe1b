package scrub

import (
	"regexp"
	"strings"
)

var (
	plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

	// flag finds --name and the space before its value, also as Python prints
	// a list of words: '--name', 'value'.
	flag = regexp.MustCompile(`(?:^|[\s"'\[(])--?([A-Za-z][A-Za-z0-9_.-]*)(?:["'],)?[ \t]+`)

	scheme = regexp.MustCompile(`^(?i:bearer|basic|digest|token|apikey)[ \t]+`)

	// privateKey finds a PEM block, also one that is cut off.
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`)

	// keyBody finds a line that could be inside a PEM block.
	keyBody = regexp.MustCompile(`^[ \t]*[A-Za-z0-9+][A-Za-z0-9+/]{58,75}={0,2}[ \t]*$`)

	// userInfo finds the part of a URL before its host.
	userInfo = regexp.MustCompile(`://[^\s/?#"'<>]+@`)

	bearer = regexp.MustCompile(`(?i)\bbearer[ \t]+[A-Za-z0-9._~+/=-]{8,}`)

	netrc = regexp.MustCompile(`(\bmachine[ \t]+\S+[ \t]+login[ \t]+\S+[ \t]+password[ \t]+)\S+`)

	wandbLogin = regexp.MustCompile(`(\blogin[ \t]+(?:--relogin[ \t]+)?)[0-9a-f]{40}\b`)

	known = regexp.MustCompile(`(^|[^A-Za-z0-9])(?:` + strings.Join(knownTokens, "|") + `)`)
)

// knownTokens are the shapes of tokens that say themselves what they are.
var knownTokens = []string{
	`sk-[A-Za-z0-9_-]{16,}`,                           // OpenAI, Anthropic and others
	`hf_[A-Za-z0-9]{16,}`,                             // Hugging Face
	`api_org_[A-Za-z0-9]{16,}`,                        // Hugging Face, organisations
	`gh[pousr]_[A-Za-z0-9]{16,}`,                      // GitHub
	`github_pat_[A-Za-z0-9_]{16,}`,                    // GitHub, fine-grained
	`gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,}`,          // GitLab
	`xox[abeprs]-[A-Za-z0-9-]{10,}`,                   // Slack
	`(?:AKIA|ASIA)[A-Z0-9]{16}`,                       // AWS key id
	`AIza[A-Za-z0-9_-]{30,}`,                          // Google API key
	`ya29\.[A-Za-z0-9_-]{16,}`,                        // Google OAuth
	`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}`,        // JSON web token
	`wandb_v[0-9]+_[A-Za-z0-9_]{16,}`,                 // Weights & Biases
	`nvapi-[A-Za-z0-9_-]{16,}`,                        // NVIDIA NGC
	`(?:npm|dop_v1|dckr_pat|gsk|r8)_[A-Za-z0-9]{20,}`, // npm, DigitalOcean, Docker, Groq, Replicate
	`pypi-[A-Za-z0-9_-]{16,}`,                         // PyPI
	`hvs\.[A-Za-z0-9_-]{16,}`,                         // Vault
	`hooks\.slack\.com/services/[A-Za-z0-9/]+`,        // Slack web hook
	`discord(?:app)?\.com/api/webhooks/[A-Za-z0-9_/-]+`,
}

// knownMarks are what every known token has; looking for them first spares
// most lines the patterns.
var knownMarks = []string{
	"sk-", "hf_", "api_org_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "xox",
	"AKIA", "ASIA", "AIza", "ya29.", "eyJ", "wandb_v", "nvapi-", "npm_", "dop_v1_", "dckr_pat_", "gsk_", "r8_", "pypi-", "hvs.",
	"hooks.slack.com", "/api/webhooks/",
}

func hasKnownMark(line string) bool {
	for _, mark := range knownMarks {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// maskUserInfo masks NAME:PASSWORD@ and TOKEN@ of a URL. A short name alone
// (git@) is an account and no secret.
func maskUserInfo(match string) string {
	info := match[len("://") : len(match)-1]
	if accountName.MatchString(info) {
		return match
	}
	return "://" + Mask + "@"
}

var accountName = regexp.MustCompile(`^[a-z][a-z_-]{0,15}$`)

// maskBearer leaves "bearer authentication" and the like in prose.
func maskBearer(match string) string {
	value := match[strings.LastIndexAny(match, " \t")+1:]
	if len(value) < 16 && !strings.ContainsAny(value, "0123456789._~+/=-") {
		return match
	}
	return match[:len(match)-len(value)] + Mask
}

// maskKeyBody masks a line of a PEM block. Mixed case and digits keep hashes
// in hexadecimal and long words apart from it.
func maskKeyBody(match string) string {
	if kinds := kindsIn(match); kinds.lower && kinds.upper && kinds.digit {
		return Mask
	}
	return match
}

type kinds struct{ lower, upper, digit bool }

func kindsIn(s string) kinds {
	var k kinds
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			k.lower = true
		case c >= 'A' && c <= 'Z':
			k.upper = true
		case c >= '0' && c <= '9':
			k.digit = true
		}
	}
	return k
}
