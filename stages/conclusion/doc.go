// Package conclusion reads what somebody says a solution costs: in time, in memory, and under which condition. It knows spoken and
// written mathematics ("O(n log n)", "n times log n", "2 的 n 次方"), classes by name ("linear", "bình phương") and plain words
// ("each element once", "doubles when the input doubles"), in English, Vietnamese and Chinese at once, since candidates mix them.
//
// A text is read in four steps: tokens; forms and marks, found by the phrases and frames of words/*.yaml and by a parser that knows
// expressions and nothing else; what each form stands for in its clause (a claim, or a question, a wish, what was turned down, what another
// solution would cost); and whether it is about time or memory. What was corrected later does not count.
//
// Everything here is pure and takes time that grows with the length of the text only. The text is data: nothing in it is followed.
package conclusion
