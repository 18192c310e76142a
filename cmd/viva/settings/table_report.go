package settings

import (
	"net/url"
)

// Report says who is told of reports.
type Report struct {
	WebhookURL    Secret // "" = nobody; its path or query may hold a secret
	WebhookSecret Secret // signs what is sent
}

// reportTable holds who is told that a report is ready.
var reportTable = []Definition{
	{Key: "report.webhook_url", Env: []string{"VIVA_REPORT_WEBHOOK_URL"}, Used: onWorker,
		Help: "address that a report is sent to when it is ready, as a signed POST (docs/reports.md); empty = none",
		mask: origin, check: webhookURL, bind: func(s *Settings) any { return &s.Report.WebhookURL }},
	{Key: "report.webhook_secret", Env: []string{"VIVA_REPORT_WEBHOOK_SECRET"}, Used: onWorker, Secret: true,
		Help:  "secret that these requests are signed by, 16 characters or more; its receiver checks them by it",
		check: serviceKey, bind: func(s *Settings) any { return &s.Report.WebhookSecret }},
}

// webhookURL may hold a user name and password, and shows nothing of it.
func webhookURL(text string) (wrong, fix string) {
	if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "is not a whole address", "write one such as https://example.com/viva/reports"
	}
	return noSpace(text)
}

// origin is what may be shown of an address whose other parts may be secret.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return Secret(text).String()
	}
	return u.Scheme + "://" + u.Host + "/****"
}

// webhookProblems: what is sent to somebody is signed, and kept until it has arrived.
func (s *Settings) webhookProblems() Problems {
	switch {
	case s.Report.WebhookURL == "":
		return nil
	case s.Report.WebhookSecret == "":
		return Problems{{Key: "report.webhook_secret", Wrong: "is missing beside report.webhook_url: its receiver could not tell who sends",
			Fix: "set VIVA_REPORT_WEBHOOK_SECRET, for example to what openssl rand -hex 24 prints, and give it to the receiver"}}
	case !s.Store.Database():
		return s.problem("report.webhook_url", "is set, but store.url is no database, in which reports could wait for their receiver",
			"set VIVA_STORE_URL to a file or to a PostgreSQL database")
	}
	return nil
}
