// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// wrongAdmins are clusters whose drivers handle claims with admin access
// incorrectly.
var wrongAdmins = wrong.Table{
	"driver refuses admin access": {
		Options: misanswersTo(calls.Prepare, fails("monitor")), Spec: "admin-access-is-prepared",
		Want: []string{"should prepare monitor and answer for no other claim", "failed with NotFound"},
	},
	"driver refuses a device to which a claim has admin access": {
		Options: isHeldBy("monitor"), Spec: "admin-access-is-prepared",
		Want: []string{"should prepare user and answer for no other claim", "the device is in use"},
	},
	"driver unprepares the user of a device with a claim with admin access": {
		Options: misanswers(afterUnprepare("monitor")), Spec: "admin-access-is-prepared",
		Want: []string{"should return the same devices and CDI devices as before, despite the end of claim monitor"},
	},
	"driver unprepares all claims instead of one with admin access": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "admin-access-is-prepared",
		Want: []string{"should have written a valid CDI file for fake.example.com/claim="},
	},
	"driver returns no devices for admin access": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
			if c.Claims[0].Name == "monitor" {
				c.Answer.Claims[c.Claims[0].UID] = api.ClaimAnswer{}
			}
		}), Spec: "admin-access-is-prepared",
		Want: []string{"should return CDI devices for each claim, because they are for equal devices, and returned none for claim monitor"},
	},
	"driver defines a device in the files of both claims": {
		Options: wrong.With(fakecluster.DriverMistakes{NamesWithoutClaim: true}), Spec: "admin-access-is-prepared",
		Want: []string{"only one file of a directory should define fake.example.com/claim=any-gpu-0-mig-1g-5gb-"},
	},
	"driver prepares a device once in a call": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
			for _, claim := range c.Claims[1:] {
				c.Answer.Claims[claim.UID] = api.ClaimAnswer{}
			}
		}), Spec: "admin-access-is-prepared",
		Want: []string{"should return CDI devices for each claim, because they are for equal devices, and returned none for claim monitor"},
	},
	"driver returns another device for admin access": {
		Options: misanswersTo(calls.Prepare, func(c *fakecluster.PluginCall) {
			if c.Claims[0].Name == "monitor" {
				eachDevice(func(d *api.Device) { d.Device = "gpu-0" })(c)
			}
		}), Spec: "admin-access-is-prepared",
		Want: []string{"should return only its devices that are allocated to claim monitor"},
	},
	"restarted driver removes the CDI files of claims with admin access": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartLosesFiles: true}), Spec: "admin-access-outlives-driver-restart",
		Want: []string{"should have CDI files for the devices that it returned", "no valid file defines fake.example.com/claim="},
	},
	"restarted driver does not prepare claims with admin access": {
		Options: misanswers(onceUnprepared(func(claim api.Claim) bool { return claim.Name == "user" })), Spec: "admin-access-outlives-driver-restart",
		Want: []string{"should return the same devices and CDI devices as before, despite a restart of the driver"},
	},
}

// isHeldBy returns a cluster whose driver prepares no other claim again while one
// of this name is prepared.
func isHeldBy(name string) fakecluster.Options {
	held, before := false, map[string]bool{}
	return misanswers(func(c *fakecluster.PluginCall) {
		claim := c.Claims[0]
		switch {
		case claim.Name == name:
			held = c.Method == calls.Prepare
		case c.Method == calls.Unprepare:
			delete(before, claim.UID)
		case held && !before[claim.UID] && claim.Name == "user":
			*c.Answer = api.Answer{Code: "Unknown", Message: "the device is in use"}
		default:
			before[claim.UID] = true
		}
	})
}
