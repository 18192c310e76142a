package settings

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// store parses text into the field that target points to. wrong and fix are empty when that went well.
func store(target any, text string) (wrong, fix string) {
	var err error
	switch field := target.(type) {
	case *string:
		*field = text
	case *Secret:
		*field = Secret(text)
	case *bool:
		*field, err = strconv.ParseBool(text)
		fix = "write true or false"
	case *int:
		*field, err = strconv.Atoi(text)
		fix = "write a whole number"
	case *float64:
		*field, err = strconv.ParseFloat(text, 64)
		fix = "write a number, such as 0.7"
	case *time.Duration:
		*field, err = ParseDuration(text)
		fix = "write a number with its unit, such as 20s or 30m"
	default:
		return fmt.Sprintf("cannot be held in a %T", target), "this is a defect of viva: please report it"
	}
	if err != nil {
		return fmt.Sprintf("%q cannot be read", text), fix
	}
	return "", ""
}

func noSpace(text string) (wrong, fix string) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "holds a space or a line break", "remove it; it often comes with copying"
	}
	return "", ""
}

// sentence is said as it stands: whole, on one line, and short enough for somebody to keep in mind.
func sentence(text string) (wrong, fix string) {
	const most = 300
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return "holds a line break or another character that cannot be spoken", "write it on one line"
	case len([]rune(text)) > most:
		return fmt.Sprintf("has more than %d characters", most), "name one or two places to turn to"
	case !slices.Contains([]rune(".!。！"), []rune(text)[len([]rune(text))-1]):
		return "is no whole sentence", "write what is to be said, such as: Please call 988 now, or go to somebody you trust."
	}
	return "", ""
}

func serverURL(text string) (wrong, fix string) {
	return checkURL(text, []string{"ws", "wss", "http", "https"}, "ws://127.0.0.1:7880 or wss://your-project.livekit.cloud")
}

// httpURL checks an address over HTTP.
func httpURL(example string) func(string) (wrong, fix string) {
	return func(text string) (wrong, fix string) { return checkURL(text, []string{"http", "https"}, example) }
}

// shortestKey is how many bytes a key or secret between services has at least.
const shortestKey = 16

// serviceKey checks a key, and does not repeat what it is given: it is secret.
func serviceKey(text string) (wrong, fix string) {
	if len(text) < shortestKey {
		return fmt.Sprintf("has fewer than %d characters", shortestKey), "make one with: openssl rand -hex 24"
	}
	return noSpace(text)
}

func baseURL(text string) (wrong, fix string) {
	if wrong, fix = httpURL("https://api.openai.com/v1")(text); wrong != "" {
		return wrong, fix
	}
	for _, endpoint := range []string{"/chat/completions", "/audio/speech", "/audio/transcriptions"} {
		if base, found := strings.CutSuffix(strings.TrimRight(text, "/"), endpoint); found {
			return "ends with the path of one call, " + endpoint, "write " + base
		}
	}
	return "", ""
}

// checkURL does not repeat the address in what it says when it could hold a password.
func checkURL(text string, schemes []string, example string) (wrong, fix string) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		return "is not a whole address", "write one such as " + example
	}
	if parsed.User != nil {
		return "holds a user name or password", "remove it; keys have settings of their own"
	}
	if slices.Contains(schemes, parsed.Scheme) {
		return "", ""
	}
	return fmt.Sprintf("starts with %s://", parsed.Scheme),
		fmt.Sprintf("start it with one of %s, such as %s", strings.Join(schemes, ", "), example)
}

func address(text string) (wrong, fix string) {
	_, portText, err := net.SplitHostPort(text)
	if err == nil {
		if wrong, _ = port(portText); wrong == "" {
			return "", ""
		}
	}
	return fmt.Sprintf("%q is not an address to listen on", text), "write host:port, such as 127.0.0.1:8081, or :8081 for all addresses"
}

// proxies checks a list of addresses and ranges.
func proxies(text string) (wrong, fix string) {
	for _, part := range list(text) {
		if _, err := prefix(part); err != nil {
			return fmt.Sprintf("%q is no address or range", part), "write addresses or ranges with commas between them, such as 127.0.0.1, 10.0.0.0/24"
		}
	}
	return "", ""
}

// TrustedProxies are the proxies that are believed.
func (w Web) TrustedProxies() []netip.Prefix {
	var all []netip.Prefix
	for _, part := range list(w.Proxies) {
		if p, err := prefix(part); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// prefix reads a range, or an address as the range that has only itself.
func prefix(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), nil
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
}

// loopbackSite reports whether a site's address leads to this machine.
func loopbackSite(site string) bool {
	u, err := url.Parse(site)
	return err == nil && !listensBeyondLoopback(net.JoinHostPort(u.Hostname(), "0"))
}

var port = between(0, 65535)

func between(low, high int) func(string) (string, string) {
	return func(text string) (wrong, fix string) {
		number, err := strconv.Atoi(text)
		if err != nil || number < low || number > high {
			return text + " is out of range", fmt.Sprintf("write a whole number from %d to %d", low, high)
		}
		return "", ""
	}
}

func fraction(text string) (wrong, fix string) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number > 0 && number <= 1) { // also refuses NaN
		return text + " is out of range", "write a number above 0 and at most 1"
	}
	return "", ""
}

func notNegative(text string) (wrong, fix string) {
	if strings.HasPrefix(text, "-") {
		return text + " is negative", "write 0s or more"
	}
	return "", ""
}

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

func locale(text string) (wrong, fix string) {
	if !localePattern.MatchString(text) {
		return fmt.Sprintf("%q is not a language tag", text), "write one such as en or en-GB"
	}
	return "", ""
}

// listensBeyondLoopback reports whether a listening address can be reached from another machine.
func listensBeyondLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "localhost" {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}
