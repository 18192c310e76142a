package misconception

import (
	"slices"
	"strings"
	"testing"
)

func systems(t *testing.T) *Subject {
	t.Helper()
	s, err := Of("systems")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func probed(s *Subject, text, told, locale string) []string {
	var out []string
	for _, h := range s.Probes(text, told, locale) {
		out = append(out, h.ID)
	}
	return out
}

// RM-18: a choice is heard in other words than one, in each language.
func TestChoicesAreHeard(t *testing.T) {
	s := systems(t)
	for id, texts := range map[string][]string{
		"shards":        {"I would shard by user id", "the table is split across sixteen machines", "with consistent hashing over the partitions", "按用户分库分表", "数据库按城市分"},
		"second_region": {"we run it in two regions", "a second data center takes over", "it is multi-region from the start", "在另一个机房也放一份"},
		"replicas":      {"reads go to the replicas", "we keep three copies of it", "a standby follows the primary", "读走从库", "每份存三个副本"},
		"ids":           {"each row gets its number from a counter", "the ids come from snowflake", "用雪花算法发号", "用数据库自增"},
		"idempotency":   {"the call is idempotent", "they send a key along, and the same key gets the old answer", "接口要幂等", "来第二遍就扔掉"},
		"offline":       {"the app has to work offline", "it must go on with no connection", "断网也要能用"},
		"rate_limit":    {"there is a rate limit for each customer", "I'd use a token bucket", "网关上做限流", "用令牌桶"},
		"balancer":      {"a load balancer stands in front", "nginx spreads the calls", "前面放一个负载均衡"},
		"sockets":       {"they hold a websocket open", "the server pushes it to the phones", "客户端保持长连接"},
		"queue":         {"the writes go through a queue first", "Kafka takes the events", "先放进消息队列", "写到Kafka里"},
		"cdn":           {"pictures come from a CDN", "we put the files close to the viewers", "图片走CDN"},
		"cache":         {"hot links are cached", "I'd put Redis in front of it", "热门的放在缓存里", "先查Redis"},
		"atomic":        {"both happen in one transaction", "the seat is locked with a row lock", "look and write in one go", "放在一个事务里", "先加锁再改"},
		"append_only":   {"we never change a row", "it is an append-only log", "only event sourcing here", "记录只加不改"},
		"clock":         {"I sort them by time", "each gets a timestamp", "按时间戳排序"},
		"batch":         {"a nightly job adds it up", "they are counted up every minute", "每天凌晨算一次"},
		"index":         {"there is an index on the city", "an inverted index finds the words", "给城市建个索引"},
		"consistency":   {"eventual consistency is enough here", "this has to be strongly consistent", "最终一致就行"},
		"one_machine":   {"one server is enough", "then I'd buy a bigger machine", "一台服务器就够", "换更好的机器"},
		"rate":          {"that's two million a day", "about five hundred writes a second", "每天大概三百万条"},
	} {
		for _, text := range texts {
			locale := "en"
			if strings.ContainsFunc(text, func(c rune) bool { return c > 0x3000 }) {
				locale = "zh"
			}
			if got := probed(s, text, text, locale); !slices.Contains(got, id) {
				t.Errorf("%q: %v, not %s", text, got, id)
			}
		}
	}
}

// RM-3: what is denied, asked or left out is no choice, and what was answered already is not asked for.
func TestNoChoiceIsHeard(t *testing.T) {
	s := systems(t)
	for _, text := range []string{
		"no cache", "there is no queue in it", "I would not shard it", "we don't need a load balancer", "it works without any index", "I'd avoid transactions here",
		"no shards, no replicas and no queues", "do you want a cache?", "what is a queue?", "I never calculated servers", "it should be fast and safe", "we have to know the users",
		"let us skip the cache for now", "rather than a queue I call it directly",
	} {
		if got := probed(s, text, text, "en"); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, text := range []string{"不用缓存", "我们没有队列", "先不考虑分片", "要不要加缓存？", "什么是索引？", "不需要负载均衡"} {
		if got := probed(s, text, text, "zh"); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := probed(s, "I'd cache the hot ones", "and when the cache is stale I invalidate it", "en"); len(got) > 0 {
		t.Errorf("what was told is asked for: %v", got)
	}
}

func TestEveryProbeAsksOneQuestion(t *testing.T) {
	s := systems(t)
	for i := range s.lists.Probes {
		p := &s.lists.Probes[i]
		for _, language := range []string{"en", "zh"} {
			if n := strings.Count(p.Ask[language], "?") + strings.Count(p.Ask[language], "？"); n != 1 || len(p.Plain[language]) == 0 {
				t.Errorf("%s asks %d questions in %s, and is heard in %d ways", p.ID, n, language, len(p.Plain[language]))
			}
		}
	}
}

// RM-9: what stays open is what nobody has spoken of.
func TestOpenSide(t *testing.T) {
	s := systems(t)
	if got := s.Open("Two servers take it, and if one dies the other goes on.", "en"); !strings.Contains(got, "in numbers") {
		t.Errorf("%q", got)
	}
	if got := s.Open("一台挂了另一台接上，每天三百万条。", "zh"); !strings.Contains(got, "同时") {
		t.Errorf("%q", got)
	}
	if got := s.Open("", "fr"); got != "" {
		t.Errorf("in a language without words for it: %q", got)
	}
}
