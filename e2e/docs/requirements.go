package docs

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/requirements"
)

const demandsIntro = `# Requirements

What the KEPs of Dynamic Resource Allocation demand, statement by statement and in our words, with the
[specs](catalogue.md) that prove it: whatever breaks the statement makes each of them fail. Where there are none, the
reason is one of these:

- *pending*: a spec could prove it, and there is none yet;
- *unobservable*: it cannot be seen from outside of a cluster's components, or nothing could violate it;
- *release*: no release has it;
- *differs*: releases do something else than the KEP says.

A statement can be *seen in* the releases named, with the feature gates and the scheduler that are named beside them.
` + "`draconform requirements`" + ` prints the same, and every run says what it proved.
`

// demands returns the page of the requirements.
func demands(documents []requirements.Document) string {
	var b strings.Builder
	b.WriteString(generated("e2e/requirements") + demandsIntro)
	for _, d := range documents {
		fmt.Fprintf(&b, "\n## KEP-%s: %s\n\n%s\n\n", d.KEP, plain(d.Title), plain(d.Text))
		b.WriteString(table("requirement", "statement", "level", "source", "seen in", "proof"))
		for _, r := range d.Requirements {
			b.WriteString(line(anchored(r.ID), plain(r.Statement), string(r.Level), plain(r.Source), seenIn(r), proof(r)))
		}
	}
	return b.String()
}

// seenIn returns the releases, gates and scheduler in which a requirement can
// be observed.
func seenIn(r requirements.Requirement) string {
	text := r.Releases()
	if len(r.Gates) > 0 {
		text += ", " + strings.Join(r.Gates, ", ")
	}
	if r.Scheduler != "" {
		text += ", scheduler " + r.Scheduler
	}
	return text
}

func proof(r requirements.Requirement) string {
	if r.Unproved != nil {
		return fmt.Sprintf("*%s*: %s", r.Unproved.Kind, plain(r.Unproved.Reason))
	}
	return links(cataloguePage, r.Specs)
}
