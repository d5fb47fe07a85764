// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/draconform/draconform/fakedriver/topology"
)

var operators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
}

// matches evaluates a node selector like Kubernetes: terms are ORed,
// expressions are ANDed.
func matches(t *testing.T, selector *corev1.NodeSelector, node labels.Set) bool {
	t.Helper()
	for _, term := range selector.NodeSelectorTerms {
		all := labels.NewSelector()
		for _, expression := range term.MatchExpressions {
			requirement, err := labels.NewRequirement(expression.Key, operators[expression.Operator], expression.Values)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			all = all.Add(*requirement)
		}
		if all.Matches(node) {
			return true
		}
	}
	return false
}

// hostOf computes the host that owns a chip, for hosts with 2x2 chips.
func hostOf(t *testing.T, chip string, columns int) int {
	t.Helper()
	at := numbers(t, strings.TrimPrefix(chip, "/"), "/")
	return at[0]/2*(columns/2) + at[1]/2
}

func TestDevicesAreAvailableOnTheirHosts(t *testing.T) {
	for name, columns := range map[string]int{"4x4": 4, "8x8": 8} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			described := load(t, name)
			for _, device := range pool(described).Devices {
				g.Expect(device.NodeSelector.NodeSelectorTerms).To(HaveLen(1), "the API allows one term")
				owners := map[int]bool{}
				for chip := range chipsOf(t, device) {
					owners[hostOf(t, chip, columns)] = true
				}
				for host := range described.Hosts() {
					node := labels.Set{"draconform.dev/tpu-host": fmt.Sprint(host), "unrelated": "label"}
					g.Expect(matches(t, device.NodeSelector, node)).To(Equal(owners[host]), "%s on host %d", device.Name, host)
				}
				g.Expect(matches(t, device.NodeSelector, labels.Set{"draconform.dev/tpu-host": "100"})).To(BeFalse())
				g.Expect(matches(t, device.NodeSelector, labels.Set{})).To(BeFalse())
			}
		})
	}
}

func TestDevicesOfAMissingHostAreUnavailable(t *testing.T) {
	g := NewWithT(t)
	described := load(t, "8x8")
	complete := pool(described)
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		present := topology.Nodes{Label: "kubernetes.io/hostname", Values: map[int]string{}}
		for host := range described.Hosts() {
			if random.IntN(4) > 0 {
				present.Values[host] = fmt.Sprintf("node-%d", host)
			}
		}
		reduced := described.Pool(present)
		available := 0
		for i, device := range reduced.Devices {
			whole := true
			for _, host := range hostsOf(t, complete.Devices[i]) {
				_, ok := present.Values[host]
				whole = whole && ok
			}
			somewhere := false
			for host := range described.Hosts() {
				somewhere = somewhere || matches(t, device.NodeSelector, labels.Set{"kubernetes.io/hostname": fmt.Sprintf("node-%d", host)})
			}
			g.Expect(somewhere).To(Equal(whole), device.Name)
			g.Expect(matches(t, device.NodeSelector, labels.Set{})).To(BeFalse(), device.Name)
			if whole {
				available++
			}
		}
		g.Expect(described.Available(present)).To(Equal(available))
	}
}

// A claim for such a device may still use chips of the remaining hosts.
func TestUnavailableDevicesKeepTheirCounters(t *testing.T) {
	g := NewWithT(t)
	described := load(t, "4x4")
	reduced := described.Pool(topology.Nodes{Label: "host", Values: map[int]string{0: "a", 1: "b", 2: "c"}})
	complete := pool(described)
	g.Expect(reduced.CounterSets).To(Equal(complete.CounterSets))
	g.Expect(reduced.Devices).To(HaveLen(len(complete.Devices)))
	for i, device := range complete.Devices {
		g.Expect(reduced.Devices[i].Name).To(Equal(device.Name))
		g.Expect(reduced.Devices[i].ConsumesCounters).To(Equal(device.ConsumesCounters), device.Name)
	}
}
