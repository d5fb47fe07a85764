// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package statecheck_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/scheduler/internal/statecheck"
)

var (
	gpu   = structured.MakeDeviceID("d", "p", "gpu")
	share = structured.MakeSharedDeviceID(gpu, new(types.UID("s")))
)

func of(state structured.AllocatedState, err error) statecheck.Source {
	return func() (*structured.AllocatedState, error) { return &state, err }
}

func TestDifferencesAreReported(t *testing.T) {
	memory := func(amount string) structured.AllocatedState {
		return structured.AllocatedState{AggregatedCapacity: structured.ConsumedCapacityCollection{
			gpu: {resourceapi.QualifiedName("memory"): new(resource.MustParse(amount))},
		}}
	}
	empty := structured.AllocatedState{}
	for name, tc := range map[string]struct {
		ours, gathered structured.AllocatedState
		want           string
	}{
		"device":          {structured.AllocatedState{AllocatedDevices: sets.New(gpu)}, empty, "device d/p/gpu"},
		"share":           {empty, structured.AllocatedState{AllocatedSharedDeviceIDs: sets.New(share)}, "share d/p/gpu/s"},
		"another amount":  {memory("2Gi"), memory("1Gi"), "memory of d/p/gpu: 1Gi"},
		"the same amount": {memory("1Gi"), memory("1024Mi"), ""},
		"an amount of 0":  {memory("0"), empty, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := statecheck.Compare(of(tc.ours, nil), of(tc.gathered, nil))
			if tc.want == "" {
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
			} else {
				NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tc.want)))
			}
		})
	}
}

func TestSourceThatFailsIsNotEqual(t *testing.T) {
	g := NewWithT(t)
	empty, failing := of(structured.AllocatedState{}, nil), of(structured.AllocatedState{}, errors.New("busy"))
	g.Expect(statecheck.Compare(empty, empty)).To(Succeed())
	g.Expect(statecheck.Compare(empty, failing)).To(MatchError("busy"))
	g.Expect(statecheck.Compare(failing, empty)).To(MatchError("busy"))
}
