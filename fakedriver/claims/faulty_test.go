// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"maps"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

// forAdmin returns a claim with admin access to a device.
func forAdmin(name, device string) *resourceapi.ResourceClaim {
	claim := newClaim(name, device)
	claim.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	return claim
}

func TestWrongDriversMisjudgeAdminAccess(t *testing.T) {
	user, monitor := newClaim("user", small0), forAdmin("monitor", small0)
	for name, test := range map[string]struct {
		fault *bool
		// before is prepared before claim.
		before, claim *resourceapi.ResourceClaim
		want          string
	}{
		"refuses": {&fault.RefusesAdminAccess, user, monitor, "device " + small0 + " is held by claim default/user"},
		"holds":   {&fault.HoldsForAdminAccess, monitor, user, "device " + small0 + " is held by claim default/monitor"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(open(t, newConfig(t)).prepareAll(t, test.before, test.claim)).To(Succeed())
			turnOn(t, test.fault)
			g.Expect(open(t, newConfig(t)).prepareAll(t, test.before, test.claim)).To(MatchError(ContainSubstring(test.want)))
		})
	}
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

func TestWrongDriverReleasesWithAdminAccess(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.ReleasesWithAdminAccess)
		}
		store := open(t, newConfig(t))
		g.Expect(store.prepareAll(t, newClaim("user", small0), newClaim("other", small1), forAdmin("monitor", small0))).To(Succeed())
		g.Expect(store.Unprepare(t.Context(), "monitor")).To(Succeed())
		g.Expect(slices.Contains(store.Prepared(), "default/user")).To(Equal(!on))
		g.Expect(store.Prepared()).To(ContainElement("default/other"))
	}
}

func TestWrongDriversForgetClaimsAtRestart(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		want  []string
	}{
		"none":         {new(bool), []string{"default/a", "default/monitor", "default/user"}},
		"admin access": {&fault.ForgetsAdminAccess, []string{"default/a", "default/user"}},
		"all but one":  {&fault.KeepsOneClaim, []string{"default/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			config.Shared = true // the checkpoint is read again before each use
			g.Expect(open(t, config).prepareAll(t, newClaim("a", small1), newClaim("user", small0), forAdmin("monitor", small0))).To(Succeed())
			turnOn(t, test.fault)
			again := open(t, config)
			g.Expect(again.Prepared()).To(Equal(test.want))
			g.Expect(again.Described()).To(Equal(test.want))
		})
	}
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

// configsOfTwo returns how many configurations each of the two devices of a claim gets.
func configsOfTwo(t *testing.T, claim *resourceapi.ResourceClaim) []int {
	t.Helper()
	g := NewWithT(t)
	got, err := open(t, newConfig(t)).allocated(claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Devices).To(HaveLen(2))
	return []int{len(got.Devices[0].Configs), len(got.Devices[1].Configs)}
}

func TestWrongDriversConfigureSomeDevices(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	config := resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(`{}`)}},
	}}
	claim.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{config}
	for name, test := range map[string]struct {
		fault *bool
		want  []int
	}{
		"none":           {new(bool), []int{1, 1}},
		"first device":   {&fault.ConfiguresFirstDeviceOnly, []int{1, 0}},
		"named requests": {&fault.NeedsNamedRequests, []int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal(test.want))
		})
	}
}

func TestWrongDriversMisreadParameters(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	claim.Status.Allocation.Devices.Results[0].Request = "gpu/large"
	claim.Status.Allocation.Devices.Results[1].Request = "gpu-2"
	for _, c := range []struct{ driver, request string }{{driver, "gpu"}, {driver, "gpu/large"}, {"other.example.com", "gpu"}, {driver, "gpu-2"}} {
		claim = withConfig(claim, fromClaim, c.driver, `{}`, c.request)
	}
	for name, test := range map[string]struct {
		fault *bool
		want  []int
	}{
		"none":          {new(bool), []int{2, 1}},
		"before others": {&fault.StopsAtOtherParameters, []int{2, 0}},
		"by prefix":     {&fault.ConfiguresByPrefix, []int{2, 2}},
		"requests only": {&fault.IgnoresSubrequestParameters, []int{1, 1}},
		"last":          {&fault.KeepsLastParameters, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal(test.want))
		})
	}
}

func TestWrongDriverReadsFirstNameOnly(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	claim.Status.Allocation.Devices.Results[0].Request, claim.Status.Allocation.Devices.Results[1].Request = "one", "two"
	claim = withConfig(claim, fromClaim, driver, `{}`, "one", "two")
	NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal([]int{1, 1}))
	turnOn(t, &fault.ReadsFirstNameOnly)
	NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal([]int{1, 0}))
}

func TestWrongDriverStripsQuotes(t *testing.T) {
	g := NewWithT(t)
	claim := withConfig(newClaim("claim", small0), fromClaim, driver, `{"label":"\"a\""}`)
	parameters := func() string {
		got, err := open(t, newConfig(t)).allocated(claim)
		g.Expect(err).NotTo(HaveOccurred())
		return string(got.Devices[0].Configs[0].Parameters)
	}
	g.Expect(parameters()).To(Equal(`{"label":"\"a\""}`))
	turnOn(t, &fault.StripsQuotes)
	g.Expect(parameters()).To(Equal(`{"label":"a"}`))
}

func TestWrongDriverRecoversFirstDeviceOnly(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.RecoversFirstDeviceOnly)
		}
		store := open(t, newConfig(t))
		store.devices, _ = store.currentDevices(t.Context())
		claim := newClaim("claim", small0, small1)
		claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}
		got, err := store.presumed(claim)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Devices).To(HaveLen(map[bool]int{false: 2, true: 1}[on]))
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

func TestWrongDriverForgetsConfigurationAtRestart(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	g.Expect(open(t, config).prepareAll(t, withConfig(newClaim("claim", small0), fromClaim, driver, `{}`))).To(Succeed())
	open(t, config)
	g.Expect(injected(t, config)).To(And(HaveLen(1), HaveEach(HaveField("Configs", HaveLen(1)))))
	turnOn(t, &fault.ForgetsConfigurationAtRestart)
	open(t, config)
	g.Expect(injected(t, config)).To(And(HaveLen(1), HaveEach(HaveField("Configs", BeEmpty()))))
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

func TestWrongDriverRecoversNoShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.RecoversNoShares)
		}
		store := open(t, newNICConfig(t))
		store.devices, _ = store.currentDevices(t.Context())
		claim := newShare("a", "shared", "1")
		claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}
		got, err := store.presumed(claim)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Devices).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriverForgetsConsumedCapacity(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		config := newNICConfig(t)
		g.Expect(open(t, config).prepareAll(t, newShare("a", "shared", "1"))).To(Succeed())
		if on {
			turnOn(t, &fault.ForgetsConsumedCapacity)
		}
		err := open(t, config).prepareAll(t, newShare("b", "shared", "1"))
		if on {
			g.Expect(err).To(MatchError(ContainSubstring("needs 1 of capacity slots, 0 is left")))
		} else {
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
}

func TestWrongDriverRejectsParametersOfOtherDrivers(t *testing.T) {
	claim := newClaim("claim", small0)
	claim.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "other.example.com", Parameters: runtime.RawExtension{Raw: []byte(`{}`)}},
	}}}
	g := NewWithT(t)
	g.Expect(open(t, newConfig(t)).prepareAll(t, claim)).To(Succeed())
	turnOn(t, &fault.RejectsOtherParameters)
	g.Expect(open(t, newConfig(t)).prepareAll(t, claim)).To(MatchError(ContainSubstring("driver other.example.com is not known")))
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

func TestWrongDriverGivesAdminAccessNoDevices(t *testing.T) {
	g := NewWithT(t)
	turnOn(t, &fault.GivesAdminAccessNoDevices)
	store := open(t, newConfig(t))
	g.Expect(store.Prepare(t.Context(), newClaim("user", small0))).To(HaveLen(1))
	g.Expect(store.Prepare(t.Context(), forAdmin("monitor", small0))).To(BeEmpty())
	g.Expect(store.Prepared()).To(Equal([]string{"default/monitor", "default/user"}))
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
