// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gen draws allocation problems. They are small and use few different
// values, so that devices, counters and constraints collide often.
//
// The parts of a problem are drawn in this order: features, nodes, classes,
// pools, existing allocations, claims. The first option of each draw is the
// simplest, so that failing problems shrink to simple ones.
package gen

import (
	"fmt"
	"math/bits"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Config selects what kind of problems to draw. The zero value draws everything
// that an API server admits, including errors that drivers can make.
type Config struct {
	// Tiny keeps problems small enough for an exhaustive search: a few devices
	// and requests.
	Tiny bool
	// Tidy leaves out errors and inconsistencies: selectors that fail on some
	// device, pools that are inconsistent, allocations that do not match
	// the slices any more.
	Tidy bool
	// Beta uses only features that are enabled by default.
	Beta bool
	// Wild also draws what no API server admits.
	Wild bool
	// Hard draws problems that need a long search: many equal devices, large
	// counts, little free capacity.
	Hard bool
	// Affinity draws sharing affinity (KEP-5981) in all problems: slices that
	// declare it, claims and classes that state values, allocated claims that
	// agree, conflict, or have no values.
	Affinity bool
}

// Problem returns a generator of problems.
func (c Config) Problem() *rapid.Generator[*problem.Problem] {
	return rapid.Custom(func(t *rapid.T) *problem.Problem {
		d := &draw{T: t, config: c, p: &problem.Problem{SharingAffinity: c.Affinity}}
		d.topics()
		d.features()
		d.nodes()
		d.classes()
		d.pools()
		d.allocated()
		d.accidents()
		d.p.Claims = d.claims("claim", d.few("claims", d.size(3, 2, 2)))
		if c.Wild {
			d.wild()
		}
		if !c.Tidy {
			d.p.Slices = rapid.Permutation(d.p.Slices).Draw(t, "order of slices")
		}
		return d.p
	})
}

// draw is the state of drawing one problem.
type draw struct {
	*rapid.T
	config Config
	p      *problem.Problem
	topic  topics
	// usualKeys are the keys that most devices declare.
	usualKeys []string
}

func (d *draw) features() {
	features := problem.Features(problem.AllFeatures)
	switch {
	case d.config.Beta:
		features = problem.Features(problem.DefaultFeatures)
	case !d.config.Hard && d.chance("default features", 20):
		features = problem.Features(problem.DefaultFeatures)
	case !d.config.Hard && d.chance("any features", d.affine(15, 3)):
		for _, feature := range []*bool{
			&features.AdminAccess, &features.CompatibilityGroups, &features.ConsumableCapacity, &features.DerivedAttributes,
			&features.DeviceBindingAndStatus, &features.DeviceTaints, &features.ListTypeAttributes,
			&features.OptionalNodeOperations, &features.PartitionableDevices, &features.PrioritizedList,
		} {
			*feature = !d.chance("without a feature", 30)
		}
	}
	// The arithmetic of policies is the same as the API's only with fractional
	// ranges. Where that feature may be disabled, ranges are whole numbers.
	d.p.Features = &features
}

func (d *draw) nodes() {
	for i := range d.few("nodes", d.size(2, 2, 1)) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("n%d", i), Labels: map[string]string{"zone": fmt.Sprintf("z%d", i), "rack": "r"},
		}}
		if d.topic.skip && d.chance("node skips operations", 70) {
			node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
		}
		d.p.Nodes = append(d.p.Nodes, node)
	}
}

func (d *draw) classes() {
	names := []string{"any", "gpu", "model-a"}
	expressions := []string{"", `device.driver == "gpu.example.com"`, has("model", `== "a"`)}
	for i, name := range names {
		class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if expressions[i] != "" {
			class.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expressions[i]}}}
		}
		if d.topic.configuration && d.chance("configuration of class", 60) {
			for j := range d.number("configurations", 1, 2) {
				class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{
					DeviceConfiguration: d.opaque(fmt.Sprintf("%s-%d", name, j)),
				})
			}
		}
		if d.config.Affinity && d.chance("class states values", 10) {
			for _, entry := range d.entries() {
				class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: entry})
			}
		}
		d.p.Classes = append(d.p.Classes, class)
	}
}

// chance returns true in about the given percentage of cases.
func (d *draw) chance(label string, percent int) bool {
	return 100*d.below(label, 32) >= (100-percent)*32
}

func (d *draw) number(label string, least, most int) int {
	return least + d.below(label, most-least+1)
}

// amount draws one of the numbers, in the unit. If amounts are extreme, the
// unit may be a different one, so that some exceed an int64 and some are below
// a thousandth.
func (d *draw) amount(label, unit string, numbers ...string) resource.Quantity {
	number := pick(d, label, numbers...)
	if d.topic.extreme && !strings.HasSuffix(number, "m") && d.chance("another unit", 60) {
		unit = pick(d, "unit", "E", "Ei", "n", "u", "m")
	}
	return resource.MustParse(number + unit)
}

// few draws a number from 1 to most. Half of the numbers are 1.
func (d *draw) few(label string, most int) int {
	return pick(d, label, 1, d.number(label, 1, most))
}

// size returns the first number by default, the second if problems must be
// tiny, and the third if they must be hard.
func (d *draw) size(usual, tiny, hard int) int {
	switch {
	case d.config.Tiny:
		return tiny
	case d.config.Hard:
		return hard
	default:
		return usual
	}
}

// affine returns the first number by default, and the second with sharing
// affinity.
func (d *draw) affine(usual, affinity int) int {
	if d.config.Affinity {
		return affinity
	}
	return usual
}

// pick draws one of the values.
func pick[T any](d *draw, label string, values ...T) T {
	return values[d.below(label, len(values))]
}

// below draws a number from 0 to n-1 with an approximately uniform
// distribution. The numbers of rapid itself are mostly small, which would make
// most problems simple ones.
func (d *draw) below(label string, n int) int {
	if n == 1 {
		return 0
	}
	number := 0
	for range bits.Len(uint(n-1)) + 2 {
		number *= 2
		if rapid.Bool().Draw(d.T, label) {
			number++
		}
	}
	return number % n
}
