// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
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
	"driver leaves files that define nothing": {
		Options: leavesEmptyFiles(), Spec: "no-cdi-devices-remain",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "has the UID of an unprepared claim in its name"},
	},
}

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
