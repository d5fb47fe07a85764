package suite

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// proving returns a copy of the spec that proves requirements.
func proving(s Spec, requirements ...string) Spec {
	s.Requirements = requirements
	return s
}

var nameable = []Spec{
	proving(of("partition-a", "partitioning", env.Scheduler, "core", "partitionable-devices"), "4815-counters", "4816-order"),
	proving(of("partition-b", "partitioning", env.Driver, "core"), "4815-release"),
	of("list-a", "prioritized-list", env.Scheduler, "core"),
}

func TestSelectByName(t *testing.T) {
	for name, test := range map[string]struct {
		selection Selection
		want      []string
	}{
		"an id":                        {Selection{IDs: []string{"list-a"}}, []string{"list-a"}},
		"ids, in the order of the run": {Selection{IDs: []string{"list-a", "partition-a"}}, []string{"partition-a", "list-a"}},
		"a profile":                    {Selection{Profiles: []string{"partitioning"}}, []string{"partition-a", "partition-b"}},
		"a feature":                    {Selection{Features: []string{"partitionable-devices"}}, []string{"partition-a"}},
		"any of two features":          {Selection{Features: []string{"partitionable-devices", "core"}}, []string{"partition-a", "partition-b", "list-a"}},
		"a requirement":                {Selection{Requirements: []string{"4815-release"}}, []string{"partition-b"}},
		"any of two requirements":      {Selection{Requirements: []string{"4815-release", "4816-order"}}, []string{"partition-a", "partition-b"}},
		"all requirements of a KEP":    {Selection{Requirements: []string{"4816"}}, []string{"partition-a"}},
		"each flag must match":         {Selection{Profiles: []string{"partitioning"}, Requirements: []string{"4815"}, Labels: "driver"}, []string{"partition-b"}},
		"with a focus":                 {Selection{Profiles: []string{"partitioning"}, Focus: "a$"}, []string{"partition-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			selected, err := test.selection.Select(nameable)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ids(selected)).To(Equal(test.want))
		})
	}
}

// A name must match completely. A prefix match could select a wrong spec.
func TestSelectByNameErrors(t *testing.T) {
	for name, test := range map[string]struct {
		selection Selection
		want      string
	}{
		"an id":                       {Selection{IDs: []string{"list-a", "list"}}, `no spec has the id "list", use list-a, partition-a, partition-b`},
		"a profile":                   {Selection{Profiles: []string{"Partitioning"}}, `profile "Partitioning" is not known, use partitioning, prioritized-list`},
		"a feature":                   {Selection{Features: []string{"x"}}, `no spec needs the feature "x", use core, partitionable-devices`},
		"a requirement":               {Selection{Requirements: []string{"4815-"}}, `no spec proves the requirement "4815-", use 4815, 4815-counters, 4815-release, 4816, 4816-order`},
		"no name at all":              {Selection{IDs: []string{""}}, `no spec has the id "", use `},
		"names that no spec has both": {Selection{Profiles: []string{"prioritized-list"}, Requirements: []string{"4815"}}, "no spec matches --profile prioritized-list --requirement 4815: "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.selection.Select(nameable)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestUnknownSuggestsSimilarNames(t *testing.T) {
	known := []string{"driver-update", "kubelet-restart", "list-first", "partition-excludes-whole", "partition-mix"}
	for i := range 20 {
		known = append(known, fmt.Sprintf("other-%02d", i))
	}
	for name, want := range map[string]string{
		"partition-exclude-whole": `x, did you mean partition-excludes-whole?`,
		"Partition-Excludes-Hole": `x, did you mean partition-excludes-whole?`,
		"partition":               `x, did you mean partition-mix, partition-excludes-whole?`,
		"restart":                 `x, did you mean kubelet-restart?`,
		"other":                   `x, did you mean other-00, other-01, other-02?`,
		"list-frist":              `x, did you mean list-first?`,
		"r":                       `x: "draconform list -o wide" shows all specs`,
		"nothing":                 `x: "draconform list -o wide" shows all specs`,
		"":                        `x: "draconform list -o wide" shows all specs`,
	} {
		NewWithT(t).Expect(unknown("x", name, known)).To(MatchError(want), name)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "adc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}, {"whole", "hole", 1}} {
		NewWithT(t).Expect(distance(test.a, test.b)).To(Equal(test.want), "%s, %s", test.a, test.b)
	}
}
