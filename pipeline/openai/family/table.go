package family

// entry is a line of the table: the beginning of a name. An open one goes on with anything: it stands for what comes after the
// last model that is listed, which is taken to be like that one until the table knows better.
type entry struct {
	name   string
	open   bool
	family Family
}

// What many lines share.
var (
	noMinimal = []string{None, Low, Medium, High, XHigh}
	toMax     = []string{None, Low, Medium, High, XHigh, Max}
	reasoning = []string{Low, Medium, High}

	plain   = Family{Strict: true}
	elder   = Family{OldLimit: true}
	oSeries = Family{Efforts: reasoning, Default: Medium, Temperature: Never, Strict: true}
	// adaptive are the chat variants of GPT-5.1 and later: they choose their effort themselves.
	adaptive = Family{Efforts: []string{Medium}, Default: Medium, Temperature: Never, Strict: true}
	// late are GPT-5.2, GPT-5.4 and GPT-5.5. They would take a temperature without reasoning, but go-openai has none for any name that
	// begins with gpt-5.
	late = Family{Efforts: noMinimal, Default: None, Temperature: Never, Strict: true}
	solo = Family{Elsewhere: true, Efforts: reasoning, Default: High, Temperature: Never, Strict: true}
	six  = Family{Efforts: toMax, Default: Medium, Temperature: Unreasoned, Strict: true}
	// demanding always reason.
	demanding = Family{Efforts: toMax[1:], Default: Medium, Temperature: Never, Strict: true}
)

// with is a family with another default effort.
func (f Family) with(effort string) Family {
	f.Default = effort
	return f
}

// table is searched from the top: a longer name stands before its beginning.
var table = []entry{
	{name: "gpt-3.5", family: elder, open: true},
	{name: "gpt-4-turbo", family: elder},
	{name: "gpt-4", family: elder},
	{name: "gpt-4o", family: plain},
	{name: "chatgpt-4o", family: plain},
	{name: "gpt-4.1", family: plain},
	{name: "gpt-4.5", family: plain},

	{name: "o1-pro", family: solo},
	{name: "o3-pro", family: solo},
	{name: "o3-deep-research", family: solo},
	{name: "o4-mini-deep-research", family: solo},
	{name: "o1", family: oSeries},
	{name: "o3", family: oSeries},
	{name: "o4", family: oSeries},

	{name: "gpt-5-pro", family: solo},
	{name: "gpt-5-codex", family: solo},
	{name: "gpt-5-chat", family: Family{Temperature: Never, Strict: true}}, // go-openai refuses its temperature
	{name: "gpt-5", family: Family{
		Efforts: []string{Minimal, Low, Medium, High}, Default: Medium, Temperature: Never, Strict: true,
	}},
	{name: "gpt-5.1-codex", family: solo},
	{name: "gpt-5.1-chat", family: adaptive},
	{name: "gpt-5.1", family: Family{
		Efforts: []string{None, Low, Medium, High}, Default: None, Temperature: Never, Strict: true,
	}},
	{name: "gpt-5.2-pro", family: solo},
	{name: "gpt-5.2-codex", family: solo},
	{name: "gpt-5.2-chat", family: adaptive},
	{name: "gpt-5.2", family: late},
	{name: "gpt-5.3-chat", family: adaptive},
	{name: "gpt-5.3-codex", family: solo},
	{name: "gpt-5.4-pro", family: solo},
	{name: "gpt-5.4", family: late},
	{name: "gpt-5.5-pro", family: solo},
	{name: "gpt-5.5", family: late.with(Medium)},
	{name: "gpt-5.6", family: Family{
		Efforts: toMax, Default: Medium, Temperature: Never, Strict: true,
	}},

	{name: "gpt-6-astra", family: demanding},
	{name: "gpt-6.1-sol", family: demanding},
	{name: "gpt-6", family: six},
	{name: "gpt-6.", family: six, open: true},
}
