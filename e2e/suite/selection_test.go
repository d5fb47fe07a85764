// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

var selectable = []Spec{
	of("partition-a", "partitioning", env.Scheduler, "core", "partitionable-devices"),
	of("partition-b", "partitioning", env.Driver, "core"),
	atLevel(Core, of("list-a", "prioritized-list", env.Scheduler, "core")),
}

func atLevel(level Level, s Spec) Spec {
	s.Level = level
	return s
}

func TestSelect(t *testing.T) {
	all := []string{"partition-a", "partition-b", "list-a"}
	for name, test := range map[string]struct {
		selection Selection
		want      []string
	}{
		"everything":                   {Selection{}, all},
		"a label":                      {Selection{Labels: "partitioning"}, all[:2]},
		"labels are of any case":       {Selection{Labels: "Partitioning && !DRIVER"}, all[:1]},
		"not":                          {Selection{Labels: "!partitioning"}, all[2:]},
		"or":                           {Selection{Labels: "driver || prioritized-list"}, all[1:]},
		"comma is or":                  {Selection{Labels: "driver, prioritized-list"}, all[1:]},
		"brackets":                     {Selection{Labels: "core && !(driver || prioritized-list)"}, all[:1]},
		"a regular expression":         {Selection{Labels: "/^part/"}, all[:2]},
		"one with operators":           {Selection{Labels: "/^(partitionable|prioritized)-(.*)$/ && !/nothing,(at|all)!/"}, []string{"partition-a", "list-a"}},
		"a set of values":              {Selection{Labels: "!kind: containsAny {a, b, c}"}, all},
		"a set of values, and a label": {Selection{Labels: "driver && !(kind: containsAny {a, b, c})"}, all[1:2]},
		"a set without braces":         {Selection{Labels: "kind: isEmpty && driver"}, all[1:2]},
		"a set of one, without braces": {Selection{Labels: "!kind: containsAny a && driver"}, all[1:2]},
		"a level":                      {Selection{Labels: "level:core"}, all[2:]},
		"not of a level":               {Selection{Labels: "!level:core && driver"}, all[1:2]},
		"a set of levels":              {Selection{Labels: "level: containsAny {core, provisional}"}, all[2:]},
		"a focus":                      {Selection{Focus: "-a$"}, []string{"partition-a", "list-a"}},
		"a focus and a label":          {Selection{Focus: "-a$", Labels: "partitioning"}, all[:1]},
		"a focus is of the ids' case":  {Selection{Focus: "partition"}, all[:2]},
		"a focus with alternatives":    {Selection{Focus: "^partition-b$|list"}, all[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			selected, err := test.selection.Select(selectable)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ids(selected)).To(Equal(test.want))
		})
	}
}

func TestSelectErrors(t *testing.T) {
	const known = "use core, driver, level:core, level:extended, partitionable-devices, partitioning, prioritized-list, scheduler"
	for name, test := range map[string]struct {
		selection Selection
		want      string
	}{
		"an unknown label":            {Selection{Labels: "sharing"}, `label "sharing" is not known, ` + known},
		"an unknown level":            {Selection{Labels: "level:cor"}, `label "level:cor" is not known, ` + known},
		"one that is negated":         {Selection{Labels: "!sharing"}, `label "sharing" is not known, ` + known},
		"one in brackets":             {Selection{Labels: "core && (driver || sharing)"}, `label "sharing" is not known`},
		"one with a pattern":          {Selection{Labels: "/core/ && sharing"}, `label "sharing" is not known`},
		"one with a set":              {Selection{Labels: "kind: containsAny {a, b} || sharing"}, `label "sharing" is not known`},
		"one operator is missing":     {Selection{Labels: "core driver"}, `label "core driver" is not known`},
		"a filter that ends early":    {Selection{Labels: "core && ("}, `read the label filter "core && ("`},
		"an invalid pattern":          {Selection{Labels: "/[/"}, `read the label filter "/[/"`},
		"an invalid focus":            {Selection{Focus: "("}, `read the focus "("`},
		"labels that exclude another": {Selection{Labels: "driver && scheduler"}, `no spec matches --labels "driver && scheduler": "draconform list" shows their ids and labels`},
		"a focus on nothing":          {Selection{Focus: "nothing", Labels: "core"}, `no spec matches --labels "core" --focus "nothing"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.selection.Select(selectable)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestSelectionString(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Selection{}.String()).To(BeEmpty())
	g.Expect(Selection{IDs: []string{"a", "b"}, Profiles: []string{"p"}, Features: []string{"f"}, Requirements: []string{"4815", "4816-r"}}.String()).
		To(Equal("--id a,b --profile p --feature f --requirement 4815,4816-r"))
	g.Expect(Selection{Labels: `a && "b"`, Focus: "c"}.String()).To(Equal(`--labels "a && \"b\"" --focus "c"`))
}

func TestRunsOn(t *testing.T) {
	since := Spec{Since: "1.36"}
	for release, want := range map[string]bool{"1.36": true, "1.37": true, "1.100": true, "1.35": false, "1.9": false} {
		NewWithT(t).Expect(since.RunsOn(release)).To(Equal(want), release)
		NewWithT(t).Expect(Spec{}.RunsOn(release)).To(BeTrue(), release)
	}
}
