// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

// failsForever returns a cluster whose driver prepares nothing after it has
// rejected a call.
func failsForever() fakecluster.Options {
	var last *api.Answer
	return misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		if last != nil {
			*c.Answer = *last
		} else if c.Answer.Code == "Unknown" {
			kept := *c.Answer
			last = &kept
		}
	})
}

// crashes returns a cluster whose driver crashes if it is asked to prepare
// a claim that it must reject.
func crashes() fakecluster.Options {
	return misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		if c.Answer.Code == "Unknown" {
			*c.Answer = api.Answer{Service: c.Service, Code: "Unavailable", Message: "connection reset"}
		}
	})
}

// wrongRejections are clusters whose drivers prepare claims that they must
// reject, or reject others.
var wrongRejections = wrong.Table{
	"driver leaves files of a claim that it refused": {
		Options: wrong.With(fakecluster.PluginMistakes{LeavesRefused: true}), Spec: "refused-claim-leaves-nothing",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "has the UID of an unprepared claim in its name"},
	},
	"driver fails to unprepare a claim that it refused": {
		Options: misanswersTo(calls.Unprepare, fails("refused")), Spec: "refused-claim-leaves-nothing",
		Want: []string{"should unprepare refused and answer for no other claim", "claim refused is not prepared"},
	},
	"driver unprepares all claims with one that it refused": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "refused-claim-leaves-nothing",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"restarted driver leaves files of a claim that it refused": {
		Options: wrong.With(fakecluster.PluginMistakes{RestartLeavesRefused: true}), Spec: "refused-claim-is-undone-after-restart",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "has the UID of an unprepared claim in its name"},
	},
	"restarted driver loses the files of other claims than the one that it refused": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartLosesFiles: true}), Spec: "refused-claim-is-undone-after-restart",
		Want: []string{"should have CDI files for the devices that it returned, because the claim is prepared"},
	},
	"driver unprepares all claims of a call of which it rejects one": {
		Options: wrong.With(fakecluster.PluginMistakes{RollsBack: true}), Spec: "deleted-claim-is-rejected",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver unprepares all claims of a call if one is not allocated": {
		Options: wrong.With(fakecluster.PluginMistakes{RollsBack: true}), Spec: "unallocated-claim-is-rejected",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver prepares claims that are not allocated": {
		Options: wrong.With(fakecluster.PluginMistakes{PreparesUnallocated: true}), Spec: "unallocated-claim-is-rejected",
		Want: []string{"should not prepare claim unallocated", "because it is not allocated", "the driver prepared claim unallocated"},
	},
	"driver prepares nothing after it has rejected a claim": {
		Options: failsForever(), Spec: "unallocated-claim-is-rejected",
		Want: []string{"should prepare good and answer for no other claim", "not allocated"},
	},
	"driver crashes because of a claim that is not allocated": {
		Options: crashes(), Spec: "unallocated-claim-is-rejected",
		Want: []string{"should not prepare claim unallocated", "failed with Unavailable: connection reset"},
	},
	"driver prepares deleted claims": {
		Options: wrong.With(fakecluster.PluginMistakes{PreparesDeleted: true}), Spec: "deleted-claim-is-rejected",
		Want: []string{"should not prepare claim deleted", "because it has been deleted", "the driver prepared claim deleted"},
	},
	"driver crashes because of a deleted claim": {
		Options: crashes(), Spec: "deleted-claim-is-rejected",
		Want: []string{"should not prepare claim deleted", "failed with Unavailable: connection reset"},
	},
	"driver identifies claims by name": {
		Options: wrong.With(fakecluster.PluginMistakes{IgnoresUIDs: true}), Spec: "claim-of-other-uid-is-rejected",
		Want: []string{"should not prepare claim replaced (UID 00000000-", "the driver prepared claim replaced"},
	},
	"driver answers for the UID that the claim has": {
		Options: answersRealUID(), Spec: "claim-of-other-uid-is-rejected",
		Want: []string{"should not prepare claim replaced", "which the call does not name"},
	},
}

// answersRealUID returns a cluster whose driver identifies claims by name, and
// answers for the UIDs that they have.
func answersRealUID() fakecluster.Options {
	options := misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
		for uid, answer := range c.Answer.Claims {
			if uid == "00000000-0000-4000-8000-000000000000" {
				delete(c.Answer.Claims, uid)
				c.Answer.Claims["uid-of-the-claim"] = answer
			}
		}
	})
	options.Mistakes.IgnoresUIDs = true
	return options
}

// withoutValidation are clusters whose drivers ignore parameters that they do not know.
var withoutValidation = wrong.Table{
	"driver that takes all parameters": {
		Options: fakecluster.Options{TakesAllParameters: true}, Spec: "refused-claim-leaves-nothing", Outcome: suite.NotApplicable,
		Want: []string{"needs a driver that refuses parameters that it does not know"},
	},
	"driver that takes all parameters and is not restarted": {
		Options: fakecluster.Options{TakesAllParameters: true}, Spec: "refused-claim-is-undone-after-restart", Outcome: suite.NotApplicable,
		Want: []string{"needs a driver that refuses parameters that it does not know"},
	},
}
