// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

const catalogueIntro = `# Specs

The specs by profile, in the order of execution. ` + "`draconform list -o wide`" + ` prints the same information.
[Requirements](requirements.md) lists the statements of the KEPs that the specs prove. [What the lines of a spec
mean](catalogue.md#entries) is below the profiles.
`

const catalogueEntries = `
## <a id="entries"></a>What the lines of a spec mean

- *Method* is what the spec does: what it sets up and what it changes, in this order. While it runs, the
  [auditor](alarms.md) checks all objects.
- *Level* is core, extended or provisional. A profile is conformant only if all of its core specs passed. Extended specs need
  more than the core specs of their profile, such as devices of a driver, and must not fail. Provisional specs are new and
  have no effect. [How to read a verdict](verdict.md#levels) has the rule of each profile.
- *Component* is the component that is at fault if the spec fails: the scheduler, the driver, the kubelet, the
  kube-controller-manager, or the cluster.
- *Runs on* lists the first releases that have the features by default, and older ones with feature gates.
- *Devices* lists the kinds of devices that the spec uses, and the optional fields of a [driver file](drivers.md) that must
  describe them. Capabilities among these fields may also be left open: the spec then finds out what the driver does.
- *Needs* lists what the spec does in addition to using the API: restart ` + "`nodes`" + ` or the ` + "`scheduler`" + `, which requires a
  cluster that the run created; read ` + "`metrics`" + ` of the control plane, which requires the provider control-plane; control the suite's ` + "`drivers`" + `, or change their ` + "`versions`" + `; create DeviceClasses (` + "`classes`" + `); create
  simulated nodes for scheduling (` + "`simulated-nodes`" + `); find no incomplete or invalid pool of all nodes (` + "`whole-pools`" + `), with which a
  scheduler rejects all devices.

If something is missing, the outcome is not-supported or not-applicable, with a reason. See
[how to read a verdict](verdict.md).
`

// renderCatalogue returns the page of the specs.
func renderCatalogue(specs []suite.Spec, c comments) (string, error) {
	specs, journeys := splitJourneys(specs)
	overview, err := renderProfiles(profiles(specs), c.about, len(journeys) > 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(generated("e2e/specs") + catalogueIntro + overview + catalogueEntries)
	for _, profile := range profiles(specs) {
		fmt.Fprintf(&b, "\n## <a id=\"%s\"></a>Profile %s\n", profileAnchor(profile), plain(profile))
		for _, s := range specs {
			if s.Profile != profile {
				continue
			}
			e, err := entry(s, c.methods[s.ID])
			if err != nil {
				return "", err
			}
			b.WriteString(e)
		}
	}
	b.WriteString(renderJourneys(journeys))
	b.WriteString("\n## Features\n\nThe report of every run states how each feature was detected. A feature without a feature gate is " +
		"either a version of the API,\nwhich the API server must be configured to serve, or depends on the scheduler: only the bundled one supports\n" +
		"`sharing-affinity`, and it does not support `node-allocatable-scheduling`\nand `workload-claim-scheduling`.\n\n")
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

// entry returns the description of a spec.
func entry(s suite.Spec, method string) (string, error) {
	releases, err := releasesOf(s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", anchored(s.ID), plain(s.Description))
	fmt.Fprintf(&b, "- Method: %s\n- Level: %s\n- Component: %s\n- Runs on: %s; features %s", plain(method), s.Level, s.Component, releases, needed(s))
	if s.MinNodes > 0 {
		fmt.Fprintf(&b, "; %s", workers(s.MinNodes))
	}
	b.WriteString("\n")
	if len(s.Kinds) > 0 {
		fmt.Fprintf(&b, "- Devices: %s", names(s.Kinds))
		if len(s.Fields) > 0 {
			fmt.Fprintf(&b, "; %s", names(s.Fields))
		}
		if s.Sees > subject.Hidden {
			b.WriteString("; " + map[subject.Visibility]string{subject.Present: "containers", subject.Identified: "containers without presence"}[s.Sees])
		}
		if len(s.Capabilities) > 0 {
			fmt.Fprintf(&b, "; %s", names(s.Capabilities))
		}
		b.WriteString("\n")
	}
	if len(s.Needs) > 0 {
		fmt.Fprintf(&b, "- Needs: %s\n", names(s.Needs))
	}
	if len(s.Requirements) > 0 {
		fmt.Fprintf(&b, "- Proves: %s\n", links(requirementsPage, s.Requirements))
	}
	return b.String(), nil
}

// workers returns a number of worker nodes.
func workers(n int) string {
	if n == 1 {
		return "1 worker node"
	}
	return fmt.Sprintf("%d worker nodes", n)
}

// needed returns the features that a spec requires to be present or absent.
func needed(s suite.Spec) string {
	all := slices.Clone(s.Features)
	for _, f := range s.AbsentFeatures {
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
