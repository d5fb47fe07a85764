package docs

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const catalogueIntro = `# Specs

What each spec promises, profile by profile, in the order in which they run. ` + "`draconform list -o wide`" + ` prints the same,
and [requirements](requirements.md) has what the KEPs demand.

- *judges* is who is to blame for a failure: the scheduler, the driver, the kubelet or the cluster as a whole.
- *releases* are the first with the features by default, and with feature gates if an older one can have them.
- *nodes* is how many worker nodes are needed.
- *needs* is what a spec does beside using the API: restart ` + "`nodes`" + ` or the ` + "`scheduler`" + `, which only a run's own cluster
  allows; steer the suite's own ` + "`drivers`" + `, or change their ` + "`versions`" + `; create device ` + "`classes`" + `; create simulated nodes, as a ` + "`stage`" + ` for what
  schedulers decide; find no pool of all nodes that is incomplete or wrong, ` + "`whole-pools`" + `, with which a scheduler refuses all devices.

Where something is missing the outcome is not-supported or not-applicable, with the reason: see
[how to read a verdict](verdict.md).
`

// catalogue returns the page of the specs.
func catalogue(specs []suite.Spec) (string, error) {
	var b strings.Builder
	b.WriteString(generated("e2e/specs") + catalogueIntro)
	specs, journeys := apart(specs)
	for _, profile := range profiles(specs) {
		b.WriteString("\n## Profile " + plain(profile) + "\n\n")
		b.WriteString(table("spec", "promise", "judges", "features", "releases", "nodes", "needs", "proves"))
		for _, s := range specs {
			if s.Profile != profile {
				continue
			}
			releases, err := releasesOf(s)
			if err != nil {
				return "", err
			}
			b.WriteString(line(anchored(s.ID), plain(s.Sentence), string(s.Judges), needed(s), releases,
				strconv.Itoa(s.Nodes), names(s.Needs), links(requirementsPage, s.Requirements)))
		}
	}
	b.WriteString(travels(journeys))
	b.WriteString("\n## Features\n\nHow each is found out in a cluster is in the report of every run. What has no feature gate is " +
		"either a version of the API,\nwhich an API server must be told to serve, or `sharing-affinity`, which only the bundled scheduler has.\n\n")
	b.WriteString(table("feature", "feature gate", "releases"))
	for _, f := range features.All() {
		releases, err := releasesOf(suite.Spec{Features: []features.Feature{f}})
		if err != nil {
			return "", err
		}
		b.WriteString(line(string(f), cmp.Or(f.Gate(), "none"), releases))
	}
	return b.String(), nil
}

// needed returns the features that a spec requires to be present or absent.
func needed(s suite.Spec) string {
	all := slices.Clone(s.Features)
	for _, f := range s.Without {
		all = append(all, "not "+f)
	}
	return names(all)
}

// profiles returns the profiles of the specs in the order of their first spec.
func profiles(specs []suite.Spec) []string {
	var all []string
	for _, s := range specs {
		if !slices.Contains(all, s.Profile) {
			all = append(all, s.Profile)
		}
	}
	return all
}

// names joins names for a table cell. They contain no characters that Markdown
// interprets.
func names[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, name := range all {
		texts[i] = string(name)
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}
