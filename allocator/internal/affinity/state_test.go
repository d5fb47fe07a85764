// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

type config = resourceapi.DeviceAllocationConfiguration

func of(c *resourceapi.DeviceConfiguration, requests ...string) config {
	return config{Requests: requests, DeviceConfiguration: *c}
}

// active returns a claim that holds devices. Each device follows its request in the arguments.
func active(configs []config, requestAndDevice ...string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	claim.Status.Allocation.Devices.Config = configs
	for i := 0; i < len(requestAndDevice); i += 2 {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: requestAndDevice[i], Driver: "networking.example.com", Pool: "node", Device: requestAndDevice[i+1],
		})
	}
	return claim
}

func device(name string) structured.DeviceID {
	return structured.MakeDeviceID("networking.example.com", "node", name)
}

// Locks are reconstructed from active claims only.
func TestLockOfADevice(t *testing.T) {
	type claims = []*resourceapi.ResourceClaim
	clean, unknown := affinity.Lock{}, affinity.Lock{Unknown: true}
	lockedTo := func(values ...string) affinity.Lock { return affinity.Lock{Values: values} }
	both := func(s, p string) config { return of(states(text(subnet, s)+","+text(pkey, p)), "nic") }
	nic := func(c ...config) *resourceapi.ResourceClaim { return active(c, "nic", "nic0") }
	admin := nic(both("z", "z"))
	admin.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	for name, test := range map[string]struct {
		claims claims
		lock   affinity.Lock
	}{
		"no claims":                            {nil, clean},
		"a claim that is not allocated":        {claims{{}}, clean},
		"a claim on another device":            {claims{active([]config{both("a", "1")}, "nic", "nic1")}, clean},
		"a claim with admin access":            {claims{admin}, clean},
		"one claim":                            {claims{nic(both("a", "1"))}, lockedTo("a", "1")},
		"claims that agree":                    {claims{nic(both("a", "1")), nic(both("a", "1"))}, lockedTo("a", "1")},
		"a legacy claim":                       {claims{nic()}, unknown},
		"a legacy claim and others":            {claims{nic(both("a", "1")), nic(), nic(both("a", "1"))}, unknown},
		"a claim without one of the keys":      {claims{nic(of(states(text(subnet, "a"))))}, unknown},
		"a claim with an integer":              {claims{nic(of(states(text(subnet, "a") + `,"` + pkey + `":{"int":1}`)))}, unknown},
		"a claim with two entries":             {claims{nic(both("a", "1"), both("a", "1"))}, unknown},
		"a claim that cannot be decoded":       {claims{nic(of(opaque("resource.k8s.io", "{")))}, unknown},
		"claims that contradict each other":    {claims{nic(both("a", "1")), nic(both("a", "2"))}, unknown},
		"an entry for all requests":            {claims{nic(of(states(text(subnet, "a") + "," + text(pkey, "1"))))}, lockedTo("a", "1")},
		"an entry for the subrequest":          {claims{active([]config{of(states(text(subnet, "a")+","+text(pkey, "1")), "nic/fast")}, "nic/fast", "nic0")}, lockedTo("a", "1")},
		"an entry for another subrequest":      {claims{active([]config{of(states(text(subnet, "a")+","+text(pkey, "1")), "nic/slow")}, "nic/fast", "nic0")}, unknown},
		"entries for other requests":           {claims{active([]config{both("a", "1"), of(states(text(subnet, "b")+","+text(pkey, "2")), "other")}, "other", "nic1", "nic", "nic0")}, lockedTo("a", "1")},
		"two requests that contradict another": {claims{active([]config{both("a", "1"), of(states(text(subnet, "b")+","+text(pkey, "2")), "other")}, "other", "nic0", "nic", "nic0")}, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(affinity.NewState(test.claims).Lock(device("nic0"), []string{subnet, pkey})).To(Equal(test.lock))
		})
	}
	NewWithT(t).Expect((*affinity.State)(nil).Lock(device("nic0"), []string{subnet})).To(Equal(clean))
}

func TestKnownHolders(t *testing.T) {
	g := NewWithT(t)
	claim := active(nil, "nic", "nic0", "nic", "nic1")
	claim.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share"))
	s := affinity.NewState([]*resourceapi.ResourceClaim{claim})
	g.Expect([]bool{s.Knows(device("nic0")), s.Knows(device("nic1")), s.Knows(device("nic2"))}).To(Equal([]bool{true, true, false}))
	share := func(device structured.DeviceID, id types.UID) bool {
		return s.KnowsShare(structured.MakeSharedDeviceID(device, &id))
	}
	g.Expect([]bool{share(device("nic0"), "share"), share(device("nic0"), "other"), share(device("nic1"), "share")}).To(Equal([]bool{true, false, false}))
}

func TestDeclarationsOfASlice(t *testing.T) {
	list := func(n int) string {
		text := ""
		for i := range n {
			text += fmt.Sprintf(`,"example.com/key%d"`, i)
		}
		return `{"nic1":{"attributeKeys":[` + text[1:] + `]}}`
	}
	for name, test := range map[string]struct {
		annotation string
		keys       int // Of the second device; the first declares nothing.
		message    string
	}{
		"keys":              {`{"nic1":{"attributeKeys":["` + subnet + `","` + pkey + `"]},"elsewhere":{"attributeKeys":["` + subnet + `"]}}`, 2, ""},
		"as many as can be": {list(8), 8, ""},
		"nothing":           {`{}`, 0, ""},
		"too many":          {list(9), 0, "device nic1: attributeKeys has 9 keys, at most 8 are allowed"},
		"none":              {`{"nic1":{}}`, 0, "device nic1: attributeKeys is empty"},
		"one twice":         {`{"nic1":{"attributeKeys":["x.y/a","x.y/a"]}}`, 0, `key "x.y/a" is listed twice`},
		"no domain":         {`{"nic1":{"attributeKeys":["a"]}}`, 0, `key "a" is no fully qualified name`},
		"a bad domain":      {`{"nic1":{"attributeKeys":["X_/a"]}}`, 0, "is no fully qualified name"},
		"a bad name":        {`{"nic1":{"attributeKeys":["x/a-b"]}}`, 0, "is no fully qualified name"},
		"an unknown field":  {`{"nic1":{"parameterKeys":["x/a"]}}`, 0, `unknown field "nic1.parameterKeys"`},
		"another case":      {`{"nic1":{"attributekeys":["x.y/a"]}}`, 0, `unknown field "nic1.attributekeys"`},
		"a device twice":    {`{"nic1":{"attributeKeys":["x.y/a"]},"nic1":{"attributeKeys":["x.y/b"]}}`, 0, `duplicate field "nic1"`},
		"no JSON":           {`{`, 0, "decode"},
		"YAML":              {`nic1: {attributeKeys: [x.y/a]}`, 0, "decode"},
		"an unknown device": {`{"elsewhere":{}}`, 0, "device elsewhere: attributeKeys is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			slice := &resourceapi.ResourceSlice{}
			slice.Name = "slice"
			slice.Annotations = map[string]string{affinity.Annotation: test.annotation}
			slice.Spec.Devices = []resourceapi.Device{{Name: "nic0"}, {Name: "nic1"}}
			declared := affinity.Read(slice)
			if test.message != "" {
				g.Expect(declared.Err).To(MatchError(And(HavePrefix("annotation draconform.dev/sharing-affinity of slice slice: "), ContainSubstring(test.message))))
				return
			}
			g.Expect(declared.Err).NotTo(HaveOccurred())
			g.Expect(declared.Keys[0]).To(BeEmpty())
			g.Expect(declared.Keys[1]).To(HaveLen(test.keys))
		})
	}
	NewWithT(t).Expect(affinity.Read(&resourceapi.ResourceSlice{})).To(BeNil())
}
