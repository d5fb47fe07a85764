// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongLists are clusters whose scheduler makes mistakes with lists of values.
var wrongLists = wrong.Table{
	"scheduler compares the first values": {
		Options: misreadsAttributes(firstValue), Spec: "attribute-lists-match",
		Want: []string{"pod one-in-common is not scheduled"},
	},
	"scheduler compares whole lists": {
		Options: misreadsAttributes(joinedValues), Spec: "attribute-lists-match",
		Want: []string{"pod one-in-common is not scheduled"},
	},
	"scheduler requires a common value of pairs only": {
		Options: wrong.Misreads(commonValueOfPairs), Spec: "attribute-lists-match",
		Want: []string{"pod only-pairs-have-one should be unschedulable, because each pair of its devices has a value in common, but no value is common to all three"},
	},
	"scheduler ignores matchAttribute": {
		Options: wrong.MisreadsClaims(withoutConstraints), Spec: "attribute-lists-match",
		Want: []string{"should be unschedulable"},
	},
	"scheduler compares texts only": {
		Options: misreadsAttributes(texts), Spec: "attribute-lists-match",
		Want: []string{"pod other-types should be unschedulable, because the values of its devices have different types"},
	},
	"scheduler does not compare lists with single values": {
		Options: misreadsAttributes(scalarsApart), Spec: "attribute-lists-match",
		Want: []string{"pod single-in-list is not scheduled"},
	},
	"scheduler takes a missing attribute for any value": {
		Options: wrong.Misreads(fillMissing), Spec: "attribute-lists-match",
		Want: []string{"pod missing should be unschedulable, because one of its devices does not have the attribute"},
	},
	"scheduler compares the first values for distinctAttribute": {
		Options: misreadsAttributes(firstValue), Spec: "attribute-lists-are-distinct",
		Want: []string{"the allocation of claim a-choice should satisfy its requests and constraints", "have the attribute"},
	},
	"scheduler compares whole lists for distinctAttribute": {
		Options: misreadsAttributes(joinedValues), Spec: "attribute-lists-are-distinct",
		Want: []string{"the allocation of claim a-choice should satisfy its requests and constraints", "have the attribute"},
	},
	"scheduler compares neighbours only": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.Name == "first-and-last-2" {
				setValues(d, resourceapi.DeviceAttribute{StringValues: []string{"e"}})
			}
		}),
		Spec: "attribute-lists-are-distinct", Want: []string{"pod first-and-last should be unschedulable"},
	},
	"scheduler keeps to the common value of a device that it has taken back": {
		Options: misreadsStrings("another-common-value-0", "a"), Spec: "attribute-lists-match",
		Want: []string{"pod another-common-value is not scheduled"},
	},
	"scheduler forgets only the first value of a device that it has taken back": {
		Options: misreadsStrings("without-the-second-0", "a", "c"), Spec: "attribute-lists-are-distinct",
		Want: []string{"pod without-the-second is not scheduled"},
	},
	"scheduler takes repeated values for an error": {
		Options: misreadsAttributes(func(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
			if len(a.StringValues) == 2 && a.StringValues[0] == a.StringValues[1] {
				return resourceapi.DeviceAttribute{StringValues: []string{"same"}}
			}
			return a
		}),
		Spec: "attribute-lists-are-distinct", Want: []string{"pod repeated is not scheduled"},
	},
	"scheduler does not find single values in lists": {
		Options: misreadsAttributes(scalarsApart), Spec: "attribute-lists-are-distinct",
		Want: []string{"pod single-in-list should be unschedulable"},
	},
	"scheduler finds the first value only": {
		Options: misreadsAttributes(firstValue), Spec: "attribute-lists-are-searched",
		Want: []string{"pod last is not scheduled"},
	},
	"scheduler finds parts of values": {
		Options: misreadsAttributes(func(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
			for _, text := range a.StringValues {
				a.StringValues = append(a.StringValues, strings.Split(text, "")...)
			}
			return a
		}),
		Spec: "attribute-lists-are-searched", Want: []string{"pod part-of-a-value should be unschedulable"},
	},
	"scheduler finds no single values": {
		Options: misreadsAttributes(scalarsApart), Spec: "attribute-lists-are-searched",
		Want: []string{"pod single is not scheduled"},
	},
}

// misreadsAttributes returns the options of a cluster whose scheduler sees a
// changed attribute of each device that has it.
func misreadsAttributes(change func(resourceapi.DeviceAttribute) resourceapi.DeviceAttribute) fakecluster.Options {
	return wrong.MisreadsDevices(func(d *resourceapi.Device) {
		if value, ok := d.Attributes["compared"]; ok {
			setValues(d, change(value))
		}
	})
}

// misreadsStrings returns the options of a cluster whose scheduler sees other values of one
// device.
func misreadsStrings(device string, values ...string) fakecluster.Options {
	return wrong.MisreadsDevices(func(d *resourceapi.Device) {
		if d.Name == device {
			setValues(d, resourceapi.DeviceAttribute{StringValues: values})
		}
	})
}

func setValues(d *resourceapi.Device, value resourceapi.DeviceAttribute) {
	d.Attributes["compared"] = value
}

// firstValue returns an attribute with the first value of its list.
func firstValue(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{
		IntValue: a.IntValue, BoolValue: a.BoolValue, StringValue: a.StringValue, VersionValue: a.VersionValue,
		IntValues: first(a.IntValues), BoolValues: first(a.BoolValues), StringValues: first(a.StringValues), VersionValues: first(a.VersionValues),
	}
}

func first[T any](all []T) []T { return all[:min(1, len(all))] }

// joinedValues returns an attribute with one text instead of a list.
func joinedValues(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
	if len(a.StringValues) == 0 {
		return a
	}
	return resourceapi.DeviceAttribute{StringValue: ptr.To(strings.Join(a.StringValues, ","))}
}

// texts returns an attribute whose values are all strings.
func texts(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
	var all []string
	for _, n := range a.IntValues {
		all = append(all, fmt.Sprint(n))
	}
	if a.IntValue != nil {
		all = append(all, fmt.Sprint(*a.IntValue))
	}
	if len(all) == 0 {
		return a
	}
	return resourceapi.DeviceAttribute{StringValues: all}
}

// scalarsApart returns an attribute whose single value is in no list.
func scalarsApart(a resourceapi.DeviceAttribute) resourceapi.DeviceAttribute {
	switch {
	case a.StringValue != nil:
		a.StringValue = ptr.To("single " + *a.StringValue)
	case a.IntValue != nil:
		a.IntValue = ptr.To(*a.IntValue + 1000)
	}
	return a
}

// commonValueOfPairs adds a value to each of three lists in which each pair has
// one in common.
func commonValueOfPairs(s *fakecluster.Scene) {
	wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
		if value := d.Attributes["compared"]; strings.HasPrefix(d.Name, "only-pairs-have-one-") {
			value.StringValues = append(slices.Clone(value.StringValues), "pair")
			setValues(d, value)
		}
	})
}

// fillMissing adds the missing attribute of a device.
func fillMissing(s *fakecluster.Scene) {
	wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
		if _, ok := d.Attributes["compared"]; !ok {
			setValues(d, resourceapi.DeviceAttribute{StringValues: []string{"a", "b", "c"}})
		}
	})
}

func withoutConstraints(claim *resourceapi.DeviceClaim) { claim.Constraints = nil }
