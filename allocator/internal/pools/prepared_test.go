// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// anyOf returns a node selector with these terms, of which one suffices.
func anyOf(terms ...corev1.NodeSelectorTerm) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: terms}
}

func labelled(all ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: all}
}

func requires(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

// Selectors are prepared when a second node asks, most of them as label selectors. They
// must match the same nodes as before. Node n1 is in zone a and has 8 cores.
func TestPreparedSelectorsMatchTheSameNodes(t *testing.T) {
	zone := func(operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return requires(corev1.LabelTopologyZone, operator, values...)
	}
	in, notIn, exists, lacks := corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist
	named := func(name string, labels ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: labels, MatchFields: []corev1.NodeSelectorRequirement{requires("metadata.name", in, name)}}
	}
	asking := node("n1", "a")
	asking.Labels["cores"] = "8"
	for name, test := range map[string]struct {
		selector *corev1.NodeSelector
		want     bool
	}{
		"no term":                               {anyOf(), false},
		"a term without requirements":           {anyOf(labelled()), false},
		"one value of several":                  {anyOf(labelled(zone(in, "b", "a"))), true},
		"another value":                         {anyOf(labelled(zone(in, "b"))), false},
		"not another value":                     {anyOf(labelled(zone(notIn, "b"))), true},
		"not this value":                        {anyOf(labelled(zone(notIn, "a"))), false},
		"a label that exists":                   {anyOf(labelled(zone(exists))), true},
		"a label that is missing":               {anyOf(labelled(requires("rack", exists))), false},
		"not a label that exists":               {anyOf(labelled(zone(lacks))), false},
		"not a label that is missing":           {anyOf(labelled(requires("rack", lacks))), true},
		"not a value of a missing label":        {anyOf(labelled(requires("rack", notIn, "1"))), true},
		"more than a number":                    {anyOf(labelled(requires("cores", corev1.NodeSelectorOpGt, "7"))), true},
		"more than the same number":             {anyOf(labelled(requires("cores", corev1.NodeSelectorOpGt, "8"))), false},
		"less than a number":                    {anyOf(labelled(requires("cores", corev1.NodeSelectorOpLt, "10"))), true},
		"less than the same number":             {anyOf(labelled(requires("cores", corev1.NodeSelectorOpLt, "8"))), false},
		"two requirements, one of which is met": {anyOf(labelled(zone(in, "a"), zone(in, "b"))), false},
		"the first of two terms":                {anyOf(labelled(zone(in, "a")), labelled(zone(in, "b"))), true},
		"the second of two terms":               {anyOf(labelled(zone(in, "b")), labelled(zone(in, "a"))), true},
		"none of two terms":                     {anyOf(labelled(zone(in, "b")), labelled(zone(in, "c"))), false},
		"the name of the node":                  {anyOf(named("n1")), true},
		"the name of another node":              {anyOf(named("n2")), false},
		"its label, the name of another node":   {anyOf(named("n2", zone(in, "a"))), false},
		"its name, the label of another node":   {anyOf(named("n1", zone(in, "b"))), false},
		"its name and its label":                {anyOf(named("n1", zone(in, "a"))), true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			want := ""
			if test.want {
				want = "p: x/d"
			}
			devices := slice("x", with("d"))
			devices.Spec.NodeSelector = test.selector
			g.Expect(sees(partitionable, published{devices}, asking)).To(Equal(want), "the first node")

			inventory := pools.NewInventory(partitionable, published{devices}, nil)
			_, err := inventory.Node(node("n0"))
			g.Expect(err).NotTo(HaveOccurred())
			view, err := inventory.Node(asking)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(strings.Join(picture(view), "; ")).To(Equal(want), "the second node")
		})
	}
}
