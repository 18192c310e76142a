package candidate

// The built-in words. Answers are given in the voice of somebody in an interview: first who they are, with a role and something
// to be proud of, then stories of projects, from short to long, with the pauses that commas and full stops make.

var introductions = []string{
	"Hi, I'm Jordan. I'm a backend engineer at a payments company, and I'm most proud of cutting our checkout latency in half.",
	"Hello, my name is Maya. I have worked as a data engineer for six years. The thing I like to mention is a pipeline that brought our reports from a day down to ten minutes.",
	"Good morning. I'm Daniel, a site reliability engineer. Last year I led the move of forty services to a new region without an outage.",
	"Hi there, I'm Priya. I started in support, taught myself to program, and now I lead a small mobile team. Our app went from two stars to four and a half.",
}

var stories = []string{
	"We had a queue that grew every night. I added back pressure, and the alerts stopped.",
	"One project I remember well was moving our search to a new index. I wrote a shadow reader first, compared the results for two weeks, and then we switched without anybody noticing.",
	"Mostly I worked on the billing service. The hard part was retries, because a timeout does not tell you whether the customer was charged. So I introduced idempotency keys, and duplicate charges went down to zero.",
	"The trade off was between speed and safety. We chose to keep the old path for a month, which cost us money, but it let us go back at once when we found a rounding error.",
	"In my last team I was responsible for the on call rotation. I noticed that half of the pages were about the same two dashboards. I rewrote the alerts around what users feel, removed thirty of them, and after three months people slept through most nights.",
	"I would say about two thousand requests a second at the peak.",
	"I disagreed with my manager about the rewrite. I built a small prototype over two days, we measured it together, and in the end we kept the old code and fixed the slow query instead.",
	"Our mobile app lost data when the connection dropped. I designed a local journal, so every change was written down before it was sent. Testing was the real work: we built a fake network that failed in forty different ways, and we ran it every night for a month.",
}

var interruptions = []string{
	"Sorry, can I ask something first?",
	"Wait, could you repeat the question, please?",
	"Excuse me, I want to add one thing.",
	"Hold on, I think I misunderstood you.",
}
