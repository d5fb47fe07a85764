// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// wrongOrders are clusters whose drivers handle claims incorrectly because of what
// they did before.
var wrongOrders = wrong.Table{
	"driver remembers the devices of a claim": {
		Options: remembers(func(claim api.Claim) string { return claim.UID }), Spec: "reallocated-claim-gets-its-new-devices",
		Want: []string{"should return only its devices that are allocated to claim claim"},
	},
	"driver remembers the devices of a claim by its name": {
		Options: remembers(func(claim api.Claim) string { return claim.Namespace + "/" + claim.Name }), Spec: "replaced-claim-gets-its-own-devices",
		Want: []string{"should return only its devices that are allocated to claim claim"},
	},
	"driver does not tell namespaces apart": {
		Options: remembers(func(claim api.Claim) string { return claim.Name }), Spec: "namesake-in-other-namespace",
		Want: []string{"should return only its devices that are allocated to claim claim.of-xxx"},
	},
	"driver returns other CDI devices after a namesake was unprepared": {
		Options: misanswers(onceUnprepared(func(claim api.Claim) bool { return claim.Name == longName })), Spec: "namesake-in-other-namespace",
		Want: []string{"should return the same devices and CDI devices as before, despite the end of its namesake in another namespace"},
	},
	"driver rejects long names": {
		Options: misanswersTo(calls.Prepare, fails(longName)), Spec: "namesake-in-other-namespace",
		Want: []string{"should prepare claim.of-xxx", "failed with NotFound"},
	},
	"driver unprepares all namesakes": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "namesake-in-other-namespace",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver remembers that a claim was not allocated": {
		Options: remembersRejection(), Spec: "unallocated-claim-is-rejected",
		Want: []string{"should prepare unallocated and answer for no other claim", "not allocated"},
	},
	"driver rejects the claim of a running pod because it is deleted": {
		Options: wrong.With(fakecluster.PluginMistakes{RejectsEnding: true}), Spec: "prepare-again-while-pod-runs",
		Want: []string{"should prepare claim and answer for no other claim", "is being deleted"},
	},
	"restarted driver removes CDI files": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartLosesFiles: true}), Spec: "prepared-claims-outlive-driver-restart",
		Want: []string{"should have CDI files for the devices that it returned, because the claim is prepared", "no valid file defines fake.example.com/claim="},
	},
	"restarted driver forgets claims": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "prepared-claims-outlive-driver-restart",
		Want: []string{"should have the same prepared claims as before"},
	},
	"restarted driver lacks claims of calls at the same time": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartLosesFiles: true}), Spec: "claims-prepared-at-once-outlive-driver-restart",
		Want: []string{"should have CDI files for the devices that it returned, because the claim is prepared", "no valid file defines fake.example.com/claim="},
	},
	"restarted driver knows claims again that were unprepared at the same time": {
		Options: wrong.With(fakecluster.PluginMistakes{RestartRevives: true}), Spec: "claims-prepared-at-once-outlive-driver-restart",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in"},
	},
	"driver prepares one of several claims of calls at the same time with the devices of another": {
		Options: mixesUpParallelCalls(), Spec: "claims-prepared-at-once-outlive-driver-restart",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim=", "which it returned"},
	},
	"restarted driver unprepares all claims": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "prepared-claims-outlive-driver-restart",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
}

// mixesUpParallelCalls returns a cluster whose driver answers the last of several calls at
// the same time with the devices of the first one.
func mixesUpParallelCalls() fakecluster.Options {
	var first []api.Device
	return misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		uid := c.Claims[0].UID
		switch {
		case !c.Parallel:
		case c.Number == 0:
			first = c.Answer.Claims[uid].Devices
		default:
			c.Answer.Claims[uid] = api.ClaimAnswer{Devices: first}
		}
	})
}

// longName is the name of claims with a long name.
const longName = "claim.of-" + sixty + "." + sixty + ".1"

const sixty = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// remembers returns a cluster whose driver always returns the devices that it has
// first returned for a claim with the same key.
func remembers(key func(api.Claim) string) fakecluster.Options {
	first := map[string]api.ClaimAnswer{}
	return misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		for _, claim := range c.Claims {
			if _, ok := first[key(claim)]; !ok {
				first[key(claim)] = c.Answer.Claims[claim.UID]
			}
			c.Answer.Claims[claim.UID] = first[key(claim)]
		}
	})
}

// remembersRejection returns a cluster whose driver rejects a claim again that it
// has rejected, also when it is the only one of a call.
func remembersRejection() fakecluster.Options {
	rejected := map[string]api.Answer{}
	return misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		last := c.Claims[len(c.Claims)-1].UID
		if c.Answer.Code != api.CodeOK {
			rejected[last] = *c.Answer
		} else if answer, ok := rejected[last]; ok {
			*c.Answer = answer
		}
	})
}
