// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// consumer returns a device that consumes an amount of a counter, with
// compatibility groups.
func consumer(set, counter, amount string, groups ...string) *resourceapi.Device {
	return &resourceapi.Device{ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
		CounterSet: set, Counters: map[string]resourceapi.Counter{counter: {Value: q(amount)}}, CompatibilityGroups: groups,
	}}}
}

func TestOverdrawn(t *testing.T) {
	available := []resourceapi.CounterSet{
		{Name: "left", Counters: map[string]resourceapi.Counter{"memory": {Value: q("4Gi")}}},
		{Name: "right", Counters: map[string]resourceapi.Counter{"memory": {Value: q("1500m")}, "engines": {Value: q("-1")}}},
	}
	half, more := consumer("left", "memory", "2Gi"), consumer("left", "memory", "1m")
	for name, test := range map[string]struct {
		devices []*resourceapi.Device
		want    map[rules.Counter]string
	}{
		"nothing consumed":    {nil, map[rules.Counter]string{{Set: "right", Name: "engines"}: "1"}},
		"exactly full":        {[]*resourceapi.Device{half, half}, map[rules.Counter]string{{Set: "right", Name: "engines"}: "1"}},
		"a little too much":   {[]*resourceapi.Device{half, half, more}, map[rules.Counter]string{{Set: "left", Name: "memory"}: "1m", {Set: "right", Name: "engines"}: "1"}},
		"an unknown counter":  {[]*resourceapi.Device{consumer("left", "other", "1")}, map[rules.Counter]string{{Set: "left", Name: "other"}: "1", {Set: "right", Name: "engines"}: "1"}},
		"zero of an unknown":  {[]*resourceapi.Device{consumer("left", "other", "0")}, map[rules.Counter]string{{Set: "right", Name: "engines"}: "1"}},
		"of another set only": {[]*resourceapi.Device{consumer("right", "memory", "2")}, map[rules.Counter]string{{Set: "right", Name: "memory"}: "500m", {Set: "right", Name: "engines"}: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := map[rules.Counter]string{}
			for counter, excess := range rules.Overdrawn(slices.Values(available), test.devices) {
				got[counter] = excess.String()
			}
			g.Expect(got).To(Equal(test.want))
		})
	}
}

// Each case has the groups of the allocated and of the chosen devices.
func TestMayJoin(t *testing.T) {
	type groups = [][]string
	for name, test := range map[string]struct {
		allocated, chosen groups
		want              bool
	}{
		"nothing chosen":                   {groups{{"mig"}}, nil, true},
		"the first, without groups":        {nil, groups{{}}, true},
		"the first, with a group":          {nil, groups{{"mig"}}, true},
		"all without groups":               {groups{{}}, groups{{}}, true},
		"a group and no group":             {groups{{}}, groups{{"mig"}}, false},
		"no group and a group":             {groups{{"mig"}}, groups{{}}, false},
		"the same group":                   {groups{{"mig"}}, groups{{"mig"}}, true},
		"another group":                    {groups{{"mig"}}, groups{{"vgpu"}}, false},
		"one group in common":              {groups{{"foo", "foobar"}}, groups{{"bar", "foobar"}}, true},
		"only in common with each":         {groups{{"foo", "foobar"}, {"bar", "foobar"}}, groups{{"foo", "bar"}}, false},
		"two chosen that do not fit":       {nil, groups{{"mig"}, {"vgpu"}}, false},
		"allocated ones that do not fit":   {groups{{"mig"}, {"vgpu"}}, groups{{"mig"}}, true},
		"a third one that all can be with": {groups{{"foo", "bar"}, {"bar"}}, groups{{"bar", "baz"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(rules.MayJoin(test.allocated, test.chosen)).To(Equal(test.want))
		})
	}
}

func TestGroupsOn(t *testing.T) {
	devices := []*resourceapi.Device{consumer("left", "memory", "1", "mig"), consumer("right", "memory", "1", "vgpu"), consumer("left", "memory", "1")}
	g := NewWithT(t)
	g.Expect(rules.GroupsOn("left", devices)).To(Equal([][]string{{"mig"}, nil}))
	g.Expect(rules.GroupsOn("other", devices)).To(BeEmpty())
}
