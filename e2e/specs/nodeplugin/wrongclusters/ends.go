// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// wrongEnds are clusters whose drivers lose what they need later: of claims that are gone, of
// claims beside the last one, and from one restart to the next.
var wrongEnds = wrong.Table{
	"driver needs claims to unprepare them": {
		Options: wrong.With(fakecluster.PluginMistakes{NeedsClaims: true}), Spec: "unprepare-of-deleted-claim",
		Want: []string{"should unprepare deleted and answer for no other claim", "claim deleted: unprepare claim"},
	},
	"driver does nothing for deleted claims": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesFiles: true}), Spec: "unprepare-of-deleted-claim",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"restarted driver does not unprepare what an earlier process has prepared": {
		Options: wrong.With(fakecluster.PluginMistakes{RestartUndoesNothing: func(bool) bool { return true }}), Spec: "unprepare-after-driver-restart",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"restarted driver forgets deleted claims": {
		Options: wrong.With(fakecluster.PluginMistakes{RestartUndoesNothing: func(exists bool) bool { return !exists }}), Spec: "unprepare-after-driver-restart",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"restarted driver needs claims to unprepare them": {
		Options: wrong.With(fakecluster.PluginMistakes{NeedsClaims: true}), Spec: "unprepare-after-driver-restart",
		Want: []string{"should unprepare kept, deleted and answer for no other claim", "claim deleted: unprepare claim"},
	},
	"driver unprepares the claim that has the device now": {
		Options: wrong.With(fakecluster.PluginMistakes{UnpreparesByDevice: true}), Spec: "unprepare-again-keeps-next-claim",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver removes the CDI devices of another driver": {
		Options: withNIC(wrong.With(fakecluster.PluginMistakes{UnpreparesForOthers: true})), Spec: "unprepare-leaves-other-drivers",
		Want: []string{"driver nic.example.com on node node-1 should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver writes the devices of the last claim only": {
		Options: keepsLastFile(), Spec: "cdi-devices-have-files",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver writes the devices of the last of two namesakes only": {
		Options: keepsLastFile(), Spec: "namesake-in-other-namespace",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"restarted driver stores none of the claims that it has read": {
		Options: losesAtRestart(func(number, _ int) bool { return number > 1 }), Spec: "prepared-claims-outlive-driver-restart",
		Want: []string{"should have CDI files for the devices that it returned, because the claim is prepared", "no valid file defines fake.example.com/claim="},
	},
	"restarted driver stores no further claims": {
		Options: losesAtRestart(func(_, preparedAfter int) bool { return preparedAfter > 0 }), Spec: "prepared-claims-outlive-driver-restart",
		Want: []string{"should have CDI files for the devices that it returned, because the claim is prepared", "no valid file defines fake.example.com/claim="},
	},
	"driver prepares claims with the configuration that their class has now": {
		Options: wrong.With(fakecluster.DriverMistakes{ReadsClasses: true}), Spec: "configuration-is-that-of-the-allocation",
		Want: []string{"container workload of pod pod should see the configuration of its devices: true"},
	},
	"driver reports health with times in milliseconds": {
		Options: misreports(func(r *api.HealthReport) { r.Devices[0].LastUpdated = time.Now().UnixMilli() }), Spec: "health-is-of-offered-devices",
		Want: []string{"which is in the future: times are in seconds since 1970"},
	},
}

// losesAtRestart returns a cluster whose driver loses CDI files of some claims at some restarts.
func losesAtRestart(which func(number, preparedAfter int) bool) fakecluster.Options {
	return wrong.With(fakecluster.DriverMistakes{LosesAtRestart: which})
}

// keepsLastFile returns a cluster whose driver has CDI devices of the claim only that it
// prepared last.
func keepsLastFile() fakecluster.Options {
	var last string
	options := misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) { last = c.Claims[len(c.Claims)-1].UID })
	options.Mistakes.Mislists = func(files []api.CDIFile) []api.CDIFile {
		if last == "" {
			return files
		}
		return slices.DeleteFunc(files, func(file api.CDIFile) bool { return file.Path != "/var/run/cdi/fake-"+last+".json" })
	}
	return options
}
