package quota_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/quota"
)

// A burst passes, then as much as the rate allows; one kind's flood takes nothing from another's quota.
func TestBook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := quota.NewBook(map[string]quota.Limit{
			"chat": {Messages: quota.Rate{PerSecond: 2, Burst: 5}, Bytes: quota.Rate{PerSecond: 100, Burst: 1000}},
			"code": {Messages: quota.Rate{PerSecond: 1, Burst: 1}, Bytes: quota.Rate{PerSecond: 1, Burst: 10}},
		})
		flood := func(kind string, bytes int) (n int, told int) {
			for range 100 {
				ok, first := b.Take(kind, bytes)
				if ok {
					n++
				}
				if first {
					told++
				}
			}
			return n, told
		}
		if n, told := flood("chat", 10); n != 5 || told != 1 {
			t.Errorf("%d of a burst, told %d times", n, told)
		}
		if ok, _ := b.Take("code", 10); !ok {
			t.Error("one kind's flood is another's")
		}
		time.Sleep(2 * time.Second)
		if n, told := flood("chat", 10); n != 4 || told != 0 {
			t.Errorf("%d after two seconds, told %d times more", n, told)
		}
		time.Sleep(time.Hour)
		if n, _ := flood("chat", 10); n != 5 {
			t.Errorf("%d after an hour", n)
		}
		time.Sleep(time.Hour)
		if n, _ := flood("chat", 400); n != 2 {
			t.Errorf("%d long ones", n)
		}
		if ok, first := b.Take("telegram", 0); ok || first || b.Refuse("telegram") {
			t.Error("a kind without a quota came in")
		}
		if !b.Refuse("code") || b.Refuse("code") {
			t.Error("it is not told once")
		}
	})
}

func TestBucketWait(t *testing.T) {
	now := time.Unix(1000, 0)
	b := quota.NewBucket(quota.Rate{PerSecond: 10, Burst: 100})
	if w := b.Wait(now, 100); w != 0 {
		t.Errorf("a full bucket has one wait %v", w)
	}
	b.Spend(now, 80)
	for n, want := range map[float64]time.Duration{20: 0, 30: time.Second, 100: 8 * time.Second, 1e9: 8 * time.Second} {
		if w := b.Wait(now, n).Truncate(time.Millisecond); w != want {
			t.Errorf("%v: %v, want %v", n, w, want)
		}
	}
	if now = now.Add(b.Wait(now, 30)); !b.Take(now, 30) {
		t.Error("it was not worth the wait")
	}
	if b.Take(now, 1) {
		t.Error("there is more than there was")
	}
	b.Spend(now, 1e9)
	if w := b.Wait(now, 10).Truncate(time.Millisecond); w != time.Second {
		t.Errorf("it owes something: %v", w)
	}
}
