package docs

import (
	"strings"

	"github.com/draconform/draconform/e2e/audit"
)

const alarmsIntro = `# Alarms of the auditor

While a spec runs, an auditor watches all objects of the cluster that have to do with the drivers of its devices, whoever made
them, and checks what it sees by itself, without any allocator. A promise that it sees broken is an alarm, and fails the spec.
The alarm names the rule, the objects and what was seen; here is what each rule says, who keeps it, and where it was promised.

See [how to read a verdict](verdict.md).

`

// alarms returns the page of the auditor's rules.
func alarms() string {
	var b strings.Builder
	b.WriteString(generated("e2e/audit") + alarmsIntro + table("rule", "promise", "kept by", "source"))
	for _, rule := range audit.Rules() {
		p := rule.Promise()
		b.WriteString(line(anchored(string(rule)), plain(p.Says), p.By, plain(p.Source)))
	}
	return b.String()
}
