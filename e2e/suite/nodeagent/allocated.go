// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// ExpectAllocatedDevices asserts that the answer for a claim names only devices
// of the driver that are allocated to the claim, for requests of the claim. A
// driver may omit devices that the container runtime need not know.
func ExpectAllocatedDevices(p Plugin, claim Claim, answers Answers) {
	ginkgo.GinkgoHelper()
	allocated := claim.of(p.Driver)
	for _, device := range answers[claim.UID] {
		key := deviceKey(device.Pool, device.Device, device.ShareID)
		gomega.Expect(allocated).To(gomega.HaveKey(key), "%s should return only its devices that are allocated to claim %s", p, claim.Name)
		for _, request := range device.Requests {
			gomega.Expect(claim.requestsOf(p.Driver, key)).To(gomega.ContainElement(request),
				"the kubelet finds the devices of a container by the name of a request, without the subrequest; claim %s has device %s for", claim.Name, key)
		}
	}
}

// ExpectEachRequest asserts that a driver has returned CDI devices for all of the
// requests of a claim, which are for equal devices, or for none of them. Without a
// name of a request, a device is for all of them.
func ExpectEachRequest(p Plugin, claim Claim, answers Answers) {
	ginkgo.GinkgoHelper()
	requests, with := map[string]bool{}, map[string]bool{}
	for _, result := range claim.Results {
		requests[baseRequest(result.Request)] = true
	}
	for _, device := range answers[claim.UID] {
		of := device.Requests
		if len(of) == 0 {
			of = slices.Collect(maps.Keys(requests))
		}
		for _, request := range of {
			if len(device.CDIDevices) > 0 {
				with[request] = true
			}
		}
	}
	if len(with) > 0 {
		gomega.Expect(with).To(gomega.Equal(requests), "%s should return CDI devices for each request of claim %s, because they are for equal devices", p, claim.Name)
	}
}

// ExpectEachClaim asserts that a driver has returned CDI devices for all of
// several claims for equal devices, or for none of them, and that none of these
// has the UID of another claim in its name.
func ExpectEachClaim(p Plugin, answers Answers, all ...Claim) {
	ginkgo.GinkgoHelper()
	hasAny := len(answers.CDIDevices()) > 0
	for _, claim := range all {
		own := Answers{claim.UID: answers[claim.UID]}.CDIDevices()
		if hasAny {
			gomega.Expect(own).NotTo(gomega.BeEmpty(), "%s should return CDI devices for each claim, because they are for equal devices, and returned none for claim %s", p, claim.Name)
		}
		for _, other := range all {
			if other.UID != claim.UID {
				gomega.Expect(own).NotTo(gomega.ContainElement(gomega.ContainSubstring(other.UID)), "%s should return no CDI device for claim %s that names claim %s", p, claim.Name, other.Name)
			}
		}
	}
}

// requestsOf returns the requests, without subrequests, that an allocated device
// of a driver is for.
func (c Claim) requestsOf(driver, key string) []string {
	var all []string
	for _, result := range c.Results {
		if result.Driver == driver && deviceKey(result.Pool, result.Device, shareOf(result)) == key {
			all = append(all, baseRequest(result.Request))
		}
	}
	return all
}
