// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin_test

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/calls"
)

// mislists returns a cluster with changed CDI files.
func mislists(change func([]api.CDIFile) []api.CDIFile) fakecluster.Options {
	return wrong.With(fakecluster.Mistakes{Mislists: change})
}

// wrongFiles are clusters whose drivers write or remove CDI files incorrectly.
var wrongFiles = wrong.Table{
	"driver returns a CDI device without a file": {
		Options: misanswersTo(calls.Prepare, eachDevice(func(d *api.Device) { d.CDIDevices = append(d.CDIDevices[:1:1], "fake.example.com/claim=none") })),
		Spec:    "cdi-devices-have-files",
		Want:    []string{"should have written a valid CDI file for fake.example.com/claim=none, which it returned"},
	},
	"driver writes an invalid CDI file": {
		Options: mislists(func(files []api.CDIFile) []api.CDIFile {
			if len(files) > 1 {
				files[1].Error, files[1].Devices = "invalid vendor", nil
			}
			return files
		}),
		Spec: "cdi-devices-have-files",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim=", "is not valid: invalid vendor"},
	},
	"driver writes the same CDI device into two files": {
		Options: mislists(func(files []api.CDIFile) []api.CDIFile {
			for _, file := range files {
				file.Path += ".again.json"
				files = append(files, file)
			}
			return files
		}),
		Spec: "cdi-devices-have-files",
		Want: []string{"only one file of a directory should define fake.example.com/claim="},
	},
	"driver leaves CDI files of claims": {
		Options: wrong.With(fakecluster.Mistakes{LeavesFiles: true}), Spec: "no-cdi-devices-remain",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"driver does not write lost CDI files again": {
		Options: wrong.With(fakecluster.Mistakes{LosesFiles: true}), Spec: "lost-cdi-files-are-restored",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim=", "which it returned"},
	},
	"driver returns other CDI devices for lost files": {
		Options: wrong.With(fakecluster.Mistakes{PreparesOthersAgain: true}), Spec: "lost-cdi-files-are-restored",
		Want: []string{"should return the same devices and CDI devices as before, despite a restart of the driver and the loss of the CDI files"},
	},
	"driver leaves files that define nothing": {
		Options: leavesEmptyFiles(), Spec: "no-cdi-devices-remain",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "has the UID of an unprepared claim in its name"},
	},
}

// withoutFiles are clusters without CDI files for a claim only.
var withoutFiles = wrong.Table{
	"driver with one CDI file for all claims": {
		Options: mislists(func(files []api.CDIFile) []api.CDIFile {
			all := api.CDIFile{Path: "/var/run/cdi/all.json", SHA256: "none", Devices: []string{"fake.example.com/claim=another"}}
			for _, file := range files {
				all.Devices = append(all.Devices, file.Devices...)
			}
			return []api.CDIFile{all}
		}),
		Spec: "lost-cdi-files-are-restored", Outcome: suite.NotApplicable, Want: []string{"the driver has no CDI files of its own for a claim"},
	},
}

// withoutOperations are clusters whose kubelets do not call the driver.
var withoutOperations = wrong.Table{
	"driver whose devices skip node operations": {
		Options: fakecluster.Options{SkipsNodeOperations: []resourceapi.SkipNodeOperation{"*"}}, Target: findsOut, Spec: "plugin-registers-itself", Outcome: suite.NotApplicable,
		Want: []string{"needs capabilities.nodeOperations of driver mig.example.com: all devices of node node-1 have skipNodeOperations"},
	},
	"driver that states that it is called": {
		Options: fakecluster.Options{SkipsNodeOperations: []resourceapi.SkipNodeOperation{"NodePrepareResources", "NodeUnprepareResources"}}, Spec: "prepare-again-while-pod-runs", Outcome: suite.Failed,
		Want: []string{"driver mig.example.com should have what its driver file states, capabilities.nodeOperations is yes", "all devices of node node-1 have skipNodeOperations"},
	},
	"driver that the kubelet calls only to unprepare": {
		Options: fakecluster.Options{SkipsNodeOperations: []resourceapi.SkipNodeOperation{"NodeUnprepareResources"}}, Target: findsOut, Spec: "prepare-again-while-pod-runs", Outcome: suite.Passed,
	},
}

// findsOut leaves all capabilities of drivers open.
func findsOut(target *env.Target) { target.Subject.Capabilities = nil }

// leavesEmptyFiles returns a cluster whose driver empties the CDI files of
// unprepared claims instead of removing them.
func leavesEmptyFiles() fakecluster.Options {
	var prepared []string
	options := misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) { prepared = append(prepared, c.Claims[0].UID) })
	options.Mistakes.Mislists = func(files []api.CDIFile) []api.CDIFile {
		for _, uid := range prepared {
			files = append(files, api.CDIFile{Path: "/var/run/cdi/empty-" + uid + ".json", Error: "no devices"})
		}
		return files
	}
	return options
}
