// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/calls"
)

// mislists returns a cluster with changed CDI files.
func mislists(change func([]api.CDIFile) []api.CDIFile) fakecluster.Options {
	return wrong.With(fakecluster.PluginMistakes{Mislists: change})
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
		Options: wrong.With(fakecluster.DriverMistakes{LeavesFiles: true}), Spec: "no-cdi-devices-remain",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in [/var/run/cdi/fake-"},
	},
	"driver does not write lost CDI files again": {
		Options: wrong.With(fakecluster.DriverMistakes{LosesFiles: true}), Spec: "lost-cdi-files-are-restored",
		Want: []string{"driver mig.example.com should have what its driver file states, capabilities.cdiRestoration is yes", "no valid file defines fake.example.com/claim="},
	},
	"driver that tells by the boot that CDI files cannot be lost": {
		Options: wrong.With(fakecluster.DriverMistakes{LosesFiles: true}), Target: findsOut, Spec: "lost-cdi-files-are-restored", Outcome: suite.NotApplicable,
		Want: []string{"needs capabilities.cdiRestoration of driver mig.example.com: driver mig.example.com on node node-1 returned CDI devices without files"},
	},
	"driver needs lost CDI files to unprepare claims": {
		Options: wrong.With(fakecluster.PluginMistakes{NeedsLostFiles: true}), Spec: "unprepare-without-cdi-files",
		Want: []string{"should unprepare claim and answer for no other claim", "claim claim: remove /var/run/cdi/fake-", "no such file"},
	},
	"driver returns other CDI devices for lost files": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOthersAgain: true}), Spec: "lost-cdi-files-are-restored",
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

// withoutCDI are clusters whose drivers return no CDI devices, as a driver of
// network interfaces may. Specs that only compare CDI files do not apply to them,
// and the others pass.
var withoutCDI = wrong.Table{
	"driver without CDI devices":                 returnsNoCDI(findsOut, "cdi-devices-have-files", suite.NotApplicable, noCDI+": driver mig.example.com on node node-1 returned no CDI devices for claim running"),
	"driver without CDI devices to remove":       returnsNoCDI(findsOut, "no-cdi-devices-remain", suite.NotApplicable, noCDI+": driver mig.example.com on node node-1 returned no CDI devices for claim first"),
	"driver without CDI files to do without":     returnsNoCDI(findsOut, "unprepare-without-cdi-files", suite.NotApplicable, noCDI+": driver mig.example.com on node node-1 returned no CDI devices for claim claim"),
	"driver without CDI files to lose":           returnsNoCDI(findsOut, "lost-cdi-files-are-restored", suite.NotApplicable, noCDI+": driver mig.example.com on node node-1 returned no CDI devices for claim claim"),
	"driver whose file denies CDI devices":       returnsNoCDI(deniesCDI, "cdi-devices-have-files", suite.NotApplicable, noCDI+", which is no in nic.yaml, line 9"),
	"driver whose file states CDI devices":       returnsNoCDI(nil, "cdi-devices-have-files", suite.Failed, "driver mig.example.com should have what its driver file states, capabilities.cdi is yes"),
	"driver without CDI devices, called again":   returnsNoCDI(deniesCDI, "prepare-again-while-pod-runs", suite.Passed, ""),
	"driver without CDI devices, canceled":       returnsNoCDI(deniesCDI, "canceled-prepare-is-completed", suite.Passed, ""),
	"driver without CDI devices, prepared again": returnsNoCDI(deniesCDI, "prepared-again-after-unprepare", suite.Passed, ""),
	"driver without CDI devices, listed":         returnsNoCDI(deniesCDI, "pod-resources-list-devices", suite.Passed, ""),
	"driver without CDI devices, two claims":     returnsNoCDI(deniesCDI, "unprepare-keeps-other-claims", suite.Passed, ""),
	"driver whose CDI files are elsewhere": {
		Options: mislists(func([]api.CDIFile) []api.CDIFile { return nil }), Spec: "cdi-devices-have-files", Outcome: suite.NotApplicable,
		Want: []string{"needs to see the CDI files of node node-1: the container runtime found the CDI devices of the running pod of claim running in other than the standard directories"},
	},
}

const noCDI = "needs capabilities.cdi of driver mig.example.com"

// returnsNoCDI returns a cluster whose driver returns no CDI devices.
func returnsNoCDI(file func(*env.Target), spec string, outcome suite.Outcome, want string) wrong.Cluster {
	return wrong.Cluster{Options: fakecluster.Options{WithoutCDI: true}, Target: file, Spec: spec, Outcome: outcome, Want: []string{want}}
}

// deniesCDI makes the driver file say that the driver has no CDI devices.
func deniesCDI(target *env.Target) {
	target.Subject.Capabilities = map[string]map[subject.Capability]subject.Answer{
		"mig.example.com": {subject.CDI: {Answer: driverfile.No, Position: "nic.yaml, line 9"}},
	}
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
