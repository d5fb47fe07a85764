// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"strings"
)

// aboutProfile is how the comment of the package of a profile goes on after its
// first three words. What the specs are about follows.
const aboutProfile = " has the specs of the profile "

// aboutIn returns the profile of a package of specs, and what its specs are about:
// the comment of the package says so. Both are empty if the file has no such comment.
func aboutIn(file *ast.File) (profile, about string) {
	text := strings.Join(strings.Fields(file.Doc.Text()), " ")
	rest, ok := strings.CutPrefix(text, "Package "+file.Name.Name+aboutProfile)
	if !ok {
		return "", ""
	}
	profile, about, _ = strings.Cut(rest, ": ")
	return profile, capitalized(about)
}

// renderProfiles returns a table of profiles that leads to their specs. It returns an
// error for a profile of which no package says what it is about.
func renderProfiles(profiles []string, about map[string]string, hasJourneys bool) (string, error) {
	var b strings.Builder
	b.WriteString("\n## Profiles\n\n" + table("profile", "what its specs are about"))
	for _, p := range profiles {
		if about[p] == "" {
			return "", fmt.Errorf("profile %s has no package in %s whose comment says what it is about: Package NAME%s%s: ...", p, sources, aboutProfile, p)
		}
		b.WriteString(line(fmt.Sprintf("[%s](%s#%s)", p, cataloguePage, profileAnchor(p)), plain(about[p])))
	}
	if hasJourneys {
		b.WriteString(line(fmt.Sprintf("[upgrade](%s#journeys)", cataloguePage), "Journeys: clusters that change their releases, gates, scheduler or driver while workloads run."))
	}
	return b.String(), nil
}

// profileAnchor returns the anchor of the section of a profile.
func profileAnchor(profile string) string { return "profile-" + profile }
