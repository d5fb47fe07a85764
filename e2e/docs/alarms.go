package docs

import (
	"strings"

	"github.com/draconform/draconform/e2e/audit"
)

const alarmsIntro = `# Alarms of the auditor

While a spec runs, an auditor watches all objects of the cluster that use the drivers of its devices, and checks them without
any allocator. A violated rule is an alarm and fails the spec. The alarm names the rule, the objects and the observation. The
table has the rules, the component that each of them applies to, and its source.

See [how to read a verdict](verdict.md).

`

// renderAlarms returns the page of the auditor's rules.
func renderAlarms() string {
	var b strings.Builder
	b.WriteString(generated("e2e/audit") + alarmsIntro + table("rule", "text", "component", "source"))
	for _, rule := range audit.Rules() {
		p := rule.Promise()
		b.WriteString(line(anchored(string(rule)), plain(p.Says), p.By, plain(p.Source)))
	}
	return b.String()
}
