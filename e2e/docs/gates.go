// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/requirements/gatetable"
)

const gatesIntro = `
## Feature gates

Every feature gate of Dynamic Resource Allocation in the supported releases, and features without a gate, with the documents
below and the profiles of the [specs](catalogue.md) that judge them, or the reason why none does. A gate that is *on* or *off*
is so by default.

`

// renderGates returns the table of feature gates.
func renderGates(lines []gatetable.Line) (string, error) {
	var b strings.Builder
	b.WriteString(gatesIntro + table("gate or feature", "releases", "KEP", "what it enables", "judged by"))
	for _, l := range lines {
		releases := plain(l.Releases)
		if l.Gate != "" {
			var err error
			if releases, err = stagesOf(l.Gate); err != nil {
				return "", err
			}
		}
		b.WriteString(line(plain(l.Name()), releases, plain(l.KEP), plain(l.Does), judgedBy(l)))
	}
	return b.String(), nil
}

// judgedBy returns the documents and profiles that judge a gate, and what is
// not judged.
func judgedBy(l gatetable.Line) string {
	var parts []string
	if len(l.Documents) > 0 {
		documents := make([]string, len(l.Documents))
		for i, kep := range l.Documents {
			documents[i] = fmt.Sprintf("[KEP-%s](%s#%s)", kep, requirementsPage, documentAnchor(kep))
		}
		parts = append(parts, strings.Join(documents, ", ")+"; `"+strings.Join(l.Profiles, "`, `")+"`")
	}
	if l.Reason != "" {
		parts = append(parts, plain(l.Reason))
	}
	return strings.Join(parts, ". ")
}

// documentAnchor returns the name of the anchor of a document of requirements.
func documentAnchor(kep string) string { return "kep-" + kep }

// stagesOf returns the stages and defaults of a feature gate, such as
// "1.34-1.35 alpha off, 1.36+ beta on".
func stagesOf(gate string) (string, error) {
	type span struct{ from, until, stage string }
	var spans []span
	oldestFirst := clusters.All()
	slices.Reverse(oldestFirst)
	for _, release := range oldestFirst {
		set, err := gates.Parse("default", release)
		if err != nil {
			return "", fmt.Errorf("get the feature gates of %s: %w", release, err)
		}
		stage := stageIn(set, gate)
		if last := len(spans) - 1; last >= 0 && spans[last].stage == stage {
			spans[last].until = release.Minor
		} else {
			spans = append(spans, span{release.Minor, release.Minor, stage})
		}
	}
	var texts []string
	newest := oldestFirst[len(oldestFirst)-1].Minor
	for _, s := range spans {
		switch {
		case s.stage == "":
			continue
		case s.until == newest:
			texts = append(texts, s.from+"+ "+s.stage)
		case s.until == s.from:
			texts = append(texts, s.from+" "+s.stage)
		default:
			texts = append(texts, s.from+"-"+s.until+" "+s.stage)
		}
	}
	return cmp.Or(strings.Join(texts, ", "), "none"), nil
}

// stageIn returns the stage and the default of a gate in a set of defaults. It
// is empty if the release does not have the gate.
func stageIn(set gates.Set, gate string) string {
	on := map[bool]string{true: "on", false: "off"}
	for _, state := range set.States() {
		if state.Name == gate {
			return strings.ToLower(string(state.Stage)) + " " + on[state.Default]
		}
	}
	return ""
}
