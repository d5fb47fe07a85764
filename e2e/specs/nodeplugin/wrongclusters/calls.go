// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// answersFirst answers only the first claim of a call.
func answersFirst(c *fakecluster.PluginCall) {
	for _, claim := range c.Claims[1:] {
		delete(c.Answer.Claims, claim.UID)
	}
}

// swapsClaims returns the devices of each claim of a call for the next one.
func swapsClaims(c *fakecluster.PluginCall) {
	answers := maps.Clone(c.Answer.Claims)
	for i, claim := range c.Claims {
		c.Answer.Claims[claim.UID] = answers[c.Claims[(i+1)%len(c.Claims)].UID]
	}
}

// fails is the answer of a driver that fails for a claim with this name.
func fails(name string) func(*fakecluster.PluginCall) {
	return func(c *fakecluster.PluginCall) {
		if slices.ContainsFunc(c.Claims, func(claim api.Claim) bool { return claim.Name == name }) {
			*c.Answer = api.Answer{Code: "NotFound", Message: "claim " + name + " is not prepared"}
		}
	}
}

// inParallel is a change of the answers to parallel calls.
func inParallel(change func(*fakecluster.PluginCall)) func(*fakecluster.PluginCall) {
	return func(c *fakecluster.PluginCall) {
		if c.Parallel {
			change(c)
		}
	}
}

// wrongCalls are clusters whose drivers handle sequences of calls incorrectly.
var wrongCalls = wrong.Table{
	"driver answers only the first claim of a call": {
		Options: misanswersTo(calls.Prepare, answersFirst), Spec: "one-call-prepares-several-claims",
		Want: []string{"should prepare one, two, three and answer for no other claim", "the response has no entry for claim two"},
	},
	"driver returns CDI devices for the first claim of a call only": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
			for _, claim := range c.Claims[1:] {
				for i := range c.Answer.Claims[claim.UID].Devices {
					c.Answer.Claims[claim.UID].Devices[i].CDIDevices = nil
				}
			}
		}), Spec: "one-call-prepares-several-claims",
		Want: []string{"should return CDI devices for each claim, because they are for equal devices, and returned none for claim two"},
	},
	"driver returns the CDI devices of another claim, too": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
			first := c.Answer.Claims[c.Claims[0].UID].Devices
			for _, claim := range c.Claims[1:] {
				for i, device := range c.Answer.Claims[claim.UID].Devices {
					c.Answer.Claims[claim.UID].Devices[i].CDIDevices = append(device.CDIDevices, first[0].CDIDevices...)
				}
			}
		}), Spec: "one-call-prepares-several-claims",
		Want: []string{"should return no CDI device for claim two that names claim one"},
	},
	"driver mixes up the claims of a call": {
		Options: misanswersTo(calls.Prepare, swapsClaims), Spec: "one-call-prepares-several-claims",
		Want: []string{"should return only its devices that are allocated to claim one"},
	},
	"driver answers for claims that the call does not name": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) { c.Answer.Claims["uid-of-another"] = api.ClaimAnswer{} }), Spec: "one-call-prepares-several-claims",
		Want: []string{"the response has an entry for UID uid-of-another, which the call does not name"},
	},
	"driver answers only the first claim of a call that unprepares": {
		Options: misanswersTo(calls.Unprepare, answersFirst), Spec: "one-call-unprepares-several-claims",
		Want: []string{"should unprepare one, never-created, two", "the response has no entry for claim never-created"},
	},
	"driver fails to unprepare claims next to an unknown one": {
		Options: misanswersTo(calls.Unprepare, fails("never-created")), Spec: "one-call-unprepares-several-claims",
		Want: []string{"should unprepare one, never-created, two", "claim never-created is not prepared"},
	},
	"driver mixes up parallel calls": {
		Options: misanswersTo(calls.Prepare, inParallel(eachDevice(func(d *api.Device) { d.CDIDevices = []string{"fake.example.com/claim=mixed-up"} }))), Spec: "parallel-calls-prepare-each-claim",
		Want: []string{"should return the same devices and CDI devices as before, despite calls at the same time", "mixed-up"},
	},
	"driver answers parallel calls with the claim of another": {
		Options: misanswersTo(calls.Prepare, inParallel(func(c *fakecluster.PluginCall) {
			c.Answer.Claims["uid-of-another"] = c.Answer.Claims[c.Claims[0].UID]
		})), Spec: "parallel-calls-prepare-each-claim",
		Want: []string{"the response has an entry for UID uid-of-another"},
	},
	"driver is stuck after a canceled call": {
		Options: wrong.With(fakecluster.PluginMistakes{StaysBusy: true}), Spec: "canceled-prepare-is-completed",
		Want: []string{"should prepare claim", "failed with Aborted: another operation is in progress"},
	},
	"driver is stuck after a canceled call to unprepare": {
		Options: wrong.With(fakecluster.PluginMistakes{StaysBusyUnpreparing: true}), Spec: "canceled-prepare-is-completed",
		Want: []string{"should unprepare claim", "failed with Aborted: another operation is in progress"},
	},
	"driver does not remove the files of a canceled call": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesFiles: true}), Spec: "canceled-prepare-is-completed",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"driver fails to unprepare an unknown claim": {
		Options: misanswersTo(calls.Unprepare, fails("never-created")), Spec: "unprepare-of-unknown-claim",
		Want: []string{"should unprepare never-created", "failed with NotFound"},
	},
	"driver unprepares all claims instead of an unknown one": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-of-unknown-claim",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver unprepares the claim of this name instead of one with another UID": {
		Options: wrong.With(fakecluster.PluginMistakes{UnpreparesByName: true}), Spec: "unprepare-of-other-uid",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver fails to unprepare a claim with another UID than a prepared one": {
		Options: misanswersTo(calls.Unprepare, fails("running")), Spec: "unprepare-of-other-uid",
		Want: []string{"should unprepare running", "failed with NotFound"},
	},
	"driver fails to unprepare a claim twice": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesOnce: true}), Spec: "unprepare-of-unprepared-claim",
		Want: []string{"should unprepare claim and answer for no other claim", "is not prepared"},
	},
	"driver answers nothing for a claim that is not prepared": {
		Options: misanswersTo(calls.Unprepare, func(c *fakecluster.PluginCall) { c.Answer.Claims = nil }), Spec: "unprepare-of-unprepared-claim",
		Want: []string{"should unprepare claim and answer for no other claim", "the response has no entry for claim claim"},
	},
	"driver unprepares the other claim, too": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "unprepare-keeps-other-claims",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver returns other CDI devices after the other claim has ended": {
		Options: misanswers(afterUnprepare("goes")), Spec: "unprepare-keeps-other-claims",
		Want: []string{"should return the same devices and CDI devices as before, despite the end of the other claim"},
	},
	"driver does not prepare a claim for the second time": {
		Options: misanswers(afterUnprepare("claim")), Spec: "prepared-again-after-unprepare",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim=gone"},
	},
	"driver returns no devices for the second time": {
		Options: misanswers(emptyAfterUnprepare()), Spec: "prepared-again-after-unprepare",
		Want: []string{"claims for the same number of devices should get as many"},
	},
}

// afterUnprepare changes the CDI devices of claims after a claim with this name
// was unprepared.
func afterUnprepare(name string) func(*fakecluster.PluginCall) {
	return onceUnprepared(func(claim api.Claim) bool { return claim.Name == name })
}

// onceUnprepared changes the CDI devices of claims after one for which is is true
// was unprepared.
func onceUnprepared(is func(api.Claim) bool) func(*fakecluster.PluginCall) {
	ended := false
	return func(c *fakecluster.PluginCall) {
		if c.Method == calls.Unprepare {
			ended = ended || is(c.Claims[0])
		} else if ended {
			eachDevice(func(d *api.Device) { d.CDIDevices = []string{"fake.example.com/claim=gone"} })(c)
		}
	}
}

// emptyAfterUnprepare returns no devices for claims that were unprepared.
func emptyAfterUnprepare() func(*fakecluster.PluginCall) {
	ended := map[string]bool{}
	return func(c *fakecluster.PluginCall) {
		for _, claim := range c.Claims {
			if c.Method == calls.Unprepare {
				ended[claim.UID] = true
			} else if ended[claim.UID] {
				c.Answer.Claims[claim.UID] = api.ClaimAnswer{}
			}
		}
	}
}
