// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"
)

// at returns a version of a claim. If a node is given, the claim holds gpu-0 of
// that node.
func at(version, node string) *resourceapi.ResourceClaim {
	claim := claimOf("c", request("req", 1))
	claim.ResourceVersion = version
	if node != "" {
		on(claim, node, "gpu-0")
	}
	return claim
}

func TestStoredClaimsCountUntilTheInformerHasThem(t *testing.T) {
	replaced := at("1", "a")
	replaced.UID = "another"
	for name, tc := range map[string]struct {
		informer *resourceapi.ResourceClaim
		holders  []string
	}{
		"an older version":         {at("1", ""), []string{"default/c"}},
		"the version itself":       {at("2", "a"), []string{"default/c"}},
		"a later one without":      {at("10", ""), nil},
		"a later one elsewhere":    {at("10", "b"), nil},
		"none, it was deleted":     {nil, nil},
		"another of the same name": {replaced, []string{"default/c"}}, // It holds the same device.
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			informer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{claimsByDevice: devicesOfClaim})
			s := &shared{claims: informer, inFlight: newInFlight(informer)}
			g.Expect(informer.Add(at("1", ""))).To(Succeed())
			s.inFlight.add(at("1", "a"))
			device := structured.MakeDeviceID(driver, "a", "gpu-0")
			names := func() (list []string) {
				for _, n := range s.holdersOf(device) {
					list = append(list, n.String())
				}
				return list
			}
			g.Expect(names()).To(Equal([]string{"default/c"}))
			s.inFlight.remove("uid-c", at("2", "a"))
			g.Expect(names()).To(Equal([]string{"default/c"}))
			if tc.informer == nil {
				g.Expect(informer.Delete(at("1", ""))).To(Succeed())
			} else {
				g.Expect(informer.Update(tc.informer)).To(Succeed())
			}
			g.Expect(names()).To(Equal(tc.holders))
			if tc.informer == nil || tc.informer.ResourceVersion != "1" || tc.informer.UID != types.UID("uid-c") {
				g.Expect(s.inFlight.list()).To(BeEmpty(), "nothing is kept longer than needed")
			}
		})
	}
}

func TestAbandonedClaimIsRemoved(t *testing.T) {
	g := NewWithT(t)
	f := newInFlight(cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil))
	f.add(at("1", "a"))
	f.remove("uid-c", nil)
	g.Expect(f.list()).To(BeEmpty())
}
