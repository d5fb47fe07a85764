// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/requirements/gatetable"
)

const requirementsIntro = `# Requirements

The statements of the KEPs of Dynamic Resource Allocation, in our words, with the [specs](catalogue.md) that prove them. A
cluster that violates a statement fails each of its specs. A statement without specs has one of these reasons:

- *pending*: a spec could prove it, but does not exist yet;
- *unobservable*: it cannot be observed from outside the components of a cluster, or nothing can violate it;
- *release*: no release implements it;
- *differs*: the releases behave differently from the KEP;
- *restated*: the statement is from a draft, and specs prove the same statement of the released KEP;
- *described*: no release implements it, but the [descriptions of fake devices](../fakedriver/describe/describe.go) do, as
  unit tests show.

*Seen in* lists the releases, feature gates and scheduler with which a statement can be observed.
` + "`draconform requirements`" + ` prints the same information, and the report of every run lists what it proved.
`

// renderRequirements returns the page of the requirements.
func renderRequirements(lines []gatetable.Line, documents []requirements.Document) (string, error) {
	var b strings.Builder
	b.WriteString(generated("e2e/requirements") + requirementsIntro)
	byGate, err := renderGates(lines)
	if err != nil {
		return "", err
	}
	b.WriteString(byGate)
	for _, d := range documents {
		fmt.Fprintf(&b, "\n## <a id=\"%s\"></a>KEP-%s: %s\n\n%s\n\n", documentAnchor(d.KEP), d.KEP, plain(d.Title), plain(d.Text))
		b.WriteString(table("requirement", "statement", "level", "source", "seen in", "proof"))
		for _, r := range d.Requirements {
			b.WriteString(line(anchored(r.ID), plain(r.Statement), string(r.Level), plain(r.Source), seenIn(r), proof(r)))
		}
	}
	return b.String(), nil
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

// proof returns the specs that prove a requirement, or why there are none.
func proof(r requirements.Requirement) string {
	if r.Unproved == nil {
		return links(cataloguePage, r.Specs)
	}
	text := fmt.Sprintf("*%s*: %s", r.Unproved.Kind, plain(r.Unproved.Reason))
	if len(r.Unproved.Released) > 0 {
		text += " Released: " + links(requirementsPage, r.Unproved.Released) + "."
	}
	if len(r.Unproved.Shown) > 0 {
		text += " Tests: " + testLinks(r.Unproved.Shown) + "."
	}
	return text
}

// testLinks returns links to the files of tests, with the names of the tests.
func testLinks(shown []string) string {
	all := make([]string, len(shown))
	for i, test := range shown {
		path, name, _ := strings.Cut(test, "#")
		all[i] = fmt.Sprintf("[%s](../%s)", plain(name), path)
	}
	return strings.Join(all, ", ")
}
