package docs

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/requirements"
)

const requirementsIntro = `# Requirements

The statements of the KEPs of Dynamic Resource Allocation, in our words, with the [specs](catalogue.md) that prove them. A
cluster that violates a statement fails each of its specs. A statement without specs has one of these reasons:

- *pending*: a spec could prove it, but does not exist yet;
- *unobservable*: it cannot be observed from outside the components of a cluster, or nothing can violate it;
- *release*: no release implements it;
- *differs*: the releases behave differently from the KEP.

*Seen in* lists the releases, feature gates and scheduler with which a statement can be observed.
` + "`draconform requirements`" + ` prints the same information, and the report of every run lists what it proved.
`

// renderRequirements returns the page of the requirements.
func renderRequirements(documents []requirements.Document) string {
	var b strings.Builder
	b.WriteString(generated("e2e/requirements") + requirementsIntro)
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
