package conclusion
import ("testing";"os";"fmt")
func TestDbg(t *testing.T){
 s:=os.Getenv("DBG"); if s=="" {t.Skip()}
 x:=newText(s); fmt.Println(x.tokens); fmt.Println("marks",x.marks); fmt.Println("meas",x.measures,"cond",x.conditions)
 x.find(); fmt.Printf("%+v\n",x.found); x.judge(); x.measure(Time); fmt.Printf("%+v\n",x.found)
}
