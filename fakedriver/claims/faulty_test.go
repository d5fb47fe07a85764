// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"maps"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// turnOn turns a fault on until the end of a test.
func turnOn(t *testing.T, fault *bool) {
	t.Helper()
	*fault = true
	t.Cleanup(func() { *fault = false })
}

// prepareAll prepares claims, one after the other.
func (s *Store) prepareAll(t *testing.T, claims ...*resourceapi.ResourceClaim) error {
	t.Helper()
	for _, claim := range claims {
		if _, err := s.Prepare(t.Context(), claim); err != nil {
			return err
		}
	}
	return nil
}

func TestWrongDriversPrepareSomeDevices(t *testing.T) {
	claim := newClaim("claim", small0, small1, "gpu-0-mig-1g-5gb-2", "gpu-0-mig-1g-5gb-3", "gpu-0-mig-1g-5gb-4")
	shares := claim.DeepCopy()
	for i := range shares.Status.Allocation.Devices.Results[1:] {
		shares.Status.Allocation.Devices.Results[1+i].ShareID = ptr.To(types.UID("share"))
	}
	for name, test := range map[string]struct {
		fault *bool
		claim *resourceapi.ResourceClaim
		want  int
	}{
		"none":         {new(bool), claim, 5},
		"first result": {&fault.PreparesFirstResultOnly, claim, 1},
		"four":         {&fault.PreparesFourDevicesOnly, claim, 4},
		"no share":     {&fault.PreparesFirstShareOnly, claim, 5},
		"first share":  {&fault.PreparesFirstShareOnly, shares, 2},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			NewWithT(t).Expect(heeded(test.claim.Status.Allocation.Devices.Results)).To(HaveLen(test.want))
		})
	}
}

func TestWrongDriverRemovesSpecsAtEnd(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.RemovesSpecsAtEnd)
		}
		store := open(t, newConfig(t))
		g.Expect(store.prepareAll(t, newClaim("claim", small0))).To(Succeed())
		store.End()
		g.Expect(store.Described()).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriversMishandleAFullDiskWhenUnpreparing(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		// first and second are the errors of two calls, the second one with room on the disk.
		first, second string
		left          []string
	}{
		"none":           {new(bool), "no space left on device", "", nil},
		"needs specs":    {&fault.NeedsSpecsToUnprepare, "no space left on device", "it does not exist", []string{"default/claim"}},
		"ignores errors": {&fault.IgnoresUnstoredUnprepare, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			turnOn(t, test.fault)
			store := open(t, newConfig(t))
			g.Expect(store.prepareAll(t, newClaim("claim", small0))).To(Succeed())
			unprepare := func(want string) {
				if err := store.Unprepare(t.Context(), "claim"); want == "" {
					g.Expect(err).NotTo(HaveOccurred())
				} else {
					g.Expect(err).To(MatchError(ContainSubstring(want)))
				}
			}
			store.SetDisk(Disk{CheckpointFull: true})
			unprepare(test.first)
			g.Expect(store.Prepared()).To(Equal([]string{"default/claim"}))
			store.SetDisk(Disk{})
			unprepare(test.second)
			g.Expect(store.Prepared()).To(Equal(test.left))
		})
	}
}

func TestWrongDriversRememberDevices(t *testing.T) {
	moved, namesake := newClaim("a", small1), newClaim("a", small1)
	namesake.UID, namesake.Namespace = "b", "other"
	for name, test := range map[string]struct {
		fault *bool
		claim *resourceapi.ResourceClaim
		want  string
	}{
		"none":               {new(bool), moved, small1},
		"allocations":        {&fault.RemembersAllocations, moved, small0},
		"not names":          {&fault.RemembersAllocations, namesake, small1},
		"names":              {&fault.RemembersNames, namesake, small0},
		"names of one claim": {&fault.RemembersNames, moved, small0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			turnOn(t, test.fault)
			store := open(t, newConfig(t))
			g.Expect(store.prepareAll(t, newClaim("a", small0))).To(Succeed())
			g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
			got, err := store.Prepare(t.Context(), test.claim)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(HaveExactElements(HaveField("DeviceName", test.want)))
		})
	}
}

func TestWrongDriverRejectsDeletedClaims(t *testing.T) {
	claim := newClaim("claim", small0)
	claim.DeletionTimestamp = ptr.To(metav1.NewTime(time.Now()))
	prepare := func() ([]kubeletplugin.Device, error) { return open(t, newConfig(t)).Prepare(t.Context(), claim) }
	g := NewWithT(t)
	g.Expect(prepare()).To(HaveLen(1))
	turnOn(t, &fault.RejectsDeletedClaims)
	_, err := prepare()
	g.Expect(err).To(MatchError("prepare claim default/claim: it is being deleted"))
}

func TestWrongDriverUnpreparesOtherShares(t *testing.T) {
	g := NewWithT(t)
	share := func(uid types.UID, id, device string) preparedClaim {
		d := preparedDevice{}
		d.ClaimUID, d.Request, d.Device.Device, d.ShareID = string(uid), "share", device, id
		return preparedClaim{Namespace: "default", Name: string(uid), Devices: []preparedDevice{d}}
	}
	store := open(t, newConfig(t))
	g.Expect(store.commit(func(claims map[types.UID]preparedClaim) {
		maps.Copy(claims, map[types.UID]preparedClaim{"a": share("a", "1", "nic-0"), "b": share("b", "2", "nic-0"), "c": share("c", "3", "nic-1")})
	})).To(Succeed())
	turnOn(t, &fault.UnpreparesOtherShares)
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(store.Prepared()).To(Equal([]string{"default/c"}))
}

func TestWrongDriversNameDevicesAlike(t *testing.T) {
	device := func(uid, share string) preparedDevice {
		d := preparedDevice{}
		d.ClaimUID, d.Request, d.Device.Device, d.ShareID = uid, "nic", "nic-0", share
		return d
	}
	for name, test := range map[string]struct {
		fault              *bool
		ofClaims, ofShares bool
	}{
		"none":          {new(bool), false, false},
		"without claim": {&fault.NamesDevicesWithoutClaim, true, false},
		"without share": {&fault.NamesDevicesWithoutShare, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			turnOn(t, test.fault)
			g.Expect(cdiName(device("a", "")) == cdiName(device("b", ""))).To(Equal(test.ofClaims))
			g.Expect(cdiName(device("a", "1")) == cdiName(device("a", "2"))).To(Equal(test.ofShares))
		})
	}
}
