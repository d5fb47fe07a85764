// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// The test cases in testdata/affinity allocate the network cards of one node for claims that are created and
// deleted. They use these commands:
//
//	devices: the cards, one per line: name, slots=N (maximum number of shares), keys=KEY,KEY (declared keys)
//	annotation: replaces the declaration of the slice, verbatim
//	allocate NAME: the values of each request of a claim, one per line (KEY=VALUE..., see claimWith); prints the result
//	legacy NAME: devices that were allocated for a claim without affinity values
//	release NAME
func TestSharingAffinity(t *testing.T) {
	datadriven.Walk(t, "testdata/affinity", func(t *testing.T, path string) {
		s := &sharingCase{config: allocator.Config{Features: problem.DefaultFeatures, SharingAffinity: true}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "config":
				s.config.SharingAffinity, s.config.PackSharingAffinity = !d.HasArg("off"), d.HasArg("pack")
				return ""
			case "devices":
				s.slice = nics(t, lines(d.Input))
				return ""
			case "annotation":
				s.slice = s.slice.DeepCopy()
				metav1.SetMetaDataAnnotation(&s.slice.ObjectMeta, allocator.AffinityAnnotation, d.Input)
				return ""
			case "allocate":
				return s.allocate(t, d.CmdArgs[0].Key, lines(d.Input), d.HasArg("unstored"))
			case "legacy":
				s.active = append(s.active, s.legacy(d.CmdArgs[0].Key, lines(d.Input)))
				return ""
			case "release":
				name := d.CmdArgs[0].Key
				s.active = slices.DeleteFunc(s.active, func(c *resourceapi.ResourceClaim) bool { return c.Name == name })
				return ""
			default:
				d.Fatalf(t, "no such command: %s", d.Cmd)
				return ""
			}
		})
	})
}

// sharingCase is a node and the claims that are allocated on it.
type sharingCase struct {
	config allocator.Config
	slice  *resourceapi.ResourceSlice
	active []*resourceapi.ResourceClaim
}

// allocate adds the claim to the active claims if it fits, and reports the reason otherwise. With unstored, the
// active claims are part of the allocated state but are not passed as holders.
func (s *sharingCase) allocate(t *testing.T, name string, lines [][]string, unstored bool) string {
	claim := claimWith(t, name, lines)
	state := (&problem.Problem{Allocated: s.active}).State()
	index := allocator.NewIndex(s.config)
	index.Update([]*resourceapi.ResourceSlice{s.slice})
	holders := allocator.NewAffinityState(s.active)
	if unstored {
		holders = nil
	}
	a := index.AllocatorWithAffinity(state, holders, nicClasses)
	claims := []*resourceapi.ResourceClaim{claim}
	results, err := a.Allocate(context.Background(), node("node"), claims)
	switch {
	case err != nil:
		return err.Error()
	case results == nil:
		return s.reasons(t, a, claims)
	}
	claim.Status.Allocation = &results[0]
	s.active = append(s.active, claim)
	var b strings.Builder
	for _, r := range results[0].Devices.Results {
		fmt.Fprintf(&b, "%s: %s\n", r.Request, r.Device)
	}
	return b.String()
}

func (s *sharingCase) reasons(t *testing.T, a *allocator.Allocator, claims []*resourceapi.ResourceClaim) string {
	explanation, err := a.Explain(context.Background(), node("node"), claims, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("no fit\n")
	show := func(alternative *explain.Alternative) {
		for _, reason := range alternative.Reasons {
			fmt.Fprintf(&b, "  %s: %s: %s\n", alternative.Name, strings.ReplaceAll(strings.Join(reason.Examples, " "), nicDriver+"/node/", ""), reason.Message)
		}
	}
	for _, request := range explanation.Claims[0].Requests {
		show(&request.Alternatives[0])
	}
	if explanation.Conflict != nil {
		show(&explanation.Conflict.Example.Alternatives[0])
	}
	return b.String()
}

func (s *sharingCase) legacy(name string, lines [][]string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for i, words := range lines {
		shareID := ptr.To(types.UID(fmt.Sprintf("%s-%d", name, i)))
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: "nic", Driver: nicDriver, Pool: "node", Device: words[0], ShareID: shareID,
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")},
		})
	}
	return claim
}

// NewAllocator replaces the upstream allocator, so it ignores declarations of sharing affinity.
func TestNewAllocatorIgnoresSharingAffinity(t *testing.T) {
	g := NewWithT(t)
	list := []*resourceapi.ResourceSlice{nics(t, lines("nic0 slots=4 keys=subnet"))}
	a, err := allocator.NewAllocator(context.Background(), problem.DefaultFeatures, structured.AllocatedState{}, nicClasses, list, nil)
	g.Expect(err).NotTo(HaveOccurred())
	results, err := a.Allocate(context.Background(), node("node"), []*resourceapi.ResourceClaim{claimWith(t, "claim", lines("nic:"))})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(chosen(results)).To(Equal([]string{"node/nic0"}))
}

// One allocator is used for many nodes concurrently, and reads declarations and claims on demand.
func TestSharingAffinityIsSafeForConcurrentUse(t *testing.T) {
	g := NewWithT(t)
	s := &sharingCase{config: allocator.Config{Features: problem.DefaultFeatures, SharingAffinity: true, PackSharingAffinity: true}}
	s.slice = nics(t, lines("nic0 slots=4 keys=subnet\nnic1 slots=4 keys=subnet\nnic2 slots=4 keys=subnet,pkey"))
	g.Expect(s.allocate(t, "first", lines("nic: subnet=b"), false)).To(Equal("nic: nic0\n"))
	index := allocator.NewIndex(s.config)
	index.Update([]*resourceapi.ResourceSlice{s.slice})
	a := index.AllocatorWithAffinity((&problem.Problem{Allocated: s.active}).State(), allocator.NewAffinityState(s.active), nicClasses)
	claims := []*resourceapi.ResourceClaim{claimWith(t, "claim", lines("x: subnet=a\ny: subnet=b\nz: subnet=a pkey=k1"))}
	before := claims[0].DeepCopy()
	var wait sync.WaitGroup
	answers := make([][]string, 16)
	for i := range answers {
		wait.Go(func() {
			if results, err := a.Allocate(context.Background(), node("node"), claims); err == nil {
				answers[i] = chosen(results)
			}
		})
	}
	wait.Wait()
	g.Expect(answers).To(HaveEach([]string{"node/nic1", "node/nic0", "node/nic1"}))
	g.Expect(claims[0]).To(Equal(before))
}
