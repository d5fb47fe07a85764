// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDisks are clusters whose driver handles full disks or a damaged checkpoint
// incorrectly.
var wrongDisks = wrong.Table{
	"driver ignores that it cannot store a claim": {
		Options: wrong.With(fakecluster.DriverMistakes{IgnoresFullDisk: true}), Spec: "full-disk-fails-prepare",
		Want: []string{"driver mig.example.com should fail to prepare claim claim", "the driver prepared claim claim"},
	},
	"driver does not store a claim when there is room": {
		Options: wrong.With(fakecluster.DriverMistakes{StaysFull: true}), Spec: "full-disk-fails-prepare",
		Want: []string{"while waiting until pod claim runs", "no space left on device"},
	},
	"kubelet starts a pod whose claim could not be stored": {
		Options: wrong.With(fakecluster.KubeletMistakes{StartsUnprepared: true}), Spec: "full-disk-fails-prepare",
		Want: []string{"pod claim is Running and was started, although its devices were not prepared"},
	},
	"driver ignores that it cannot store that a claim is unprepared": {
		Options: wrong.With(fakecluster.DriverMistakes{ForgetsUnstored: true}), Spec: "full-disk-fails-unprepare",
		Want: []string{"claim claim should be prepared: false"},
	},
	"driver does not unprepare a claim whose CDI file it has removed": {
		Options: wrong.With(fakecluster.DriverMistakes{NeedsFiles: true}), Spec: "full-disk-fails-unprepare",
		Want: []string{"while waiting until pods [claim-0] are removed", "pod claim-0 still exists"},
	},
	"driver ignores that it cannot write a CDI file": {
		Options: wrong.With(fakecluster.DriverMistakes{IgnoresFullDisk: true}), Spec: "lacking-cdi-file-fails-prepare",
		Want: []string{"the driver prepared claim claim"},
	},
	"driver leaves a part of a CDI file": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesPartsOfFiles: true}), Spec: "lacking-cdi-file-fails-prepare",
		Want: []string{"claim claim should be prepared: false", "and there are CDI files for"},
	},
	"driver does not write a CDI file when there is room": {
		Options: wrong.With(fakecluster.DriverMistakes{StaysFull: true}), Spec: "lacking-cdi-file-fails-prepare",
		Want: []string{"while waiting until pod claim runs", "no space left on device"},
	},
	"driver keeps the devices of a claim that it failed to prepare": {
		Options: wrong.With(fakecluster.DriverMistakes{HoldsFailed: true}), Spec: "failed-prepare-holds-nothing",
		Want: []string{"while waiting until pod whole-0 runs", "has the device"},
	},
	"driver keeps the devices of a claim that it refused": {
		Options: wrong.With(fakecluster.DriverMistakes{HoldsFailed: true}), Spec: "refused-claim-holds-nothing",
		Want: []string{"while waiting until pod next-0-0 runs", "has the device"},
	},
	"driver fails to unprepare a claim that it refused": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesOnce: true}), Spec: "refused-claim-holds-nothing",
		Want: []string{"while deleting pod and claim refused", "pod refused still exists"},
	},
	"driver leaves a part of the CDI file of a deleted claim": {
		Options: wrong.With(fakecluster.DriverMistakes{LeavesPartsOfFiles: true, HoldsFailed: true}), Spec: "failed-prepare-holds-nothing",
		Want: []string{"claim claim should be prepared: false", "and there are CDI files for"},
	},
	"driver forgets its claims because of a truncated checkpoint": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgets: true}), Spec: "truncated-checkpoint-is-survived",
		Want: []string{"driver mig.example.com on node node-1 should have the same prepared claims as before"},
	},
	"driver does not start with a checkpoint of zeros": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverReturns: true}), Spec: "zeroed-checkpoint-is-survived",
		Want: []string{"driver mig.example.com should be registered again on node node-1"},
	},
	"driver ends pods because its checkpoint is lost": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartEndsPods: true}), Spec: "lost-checkpoint-is-survived",
		Want: []string{"should keep running despite the damage of the driver's checkpoint"},
	},
	"driver recovers the first device of each claim only": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartKeepsFirst: true}), Spec: "lost-checkpoint-is-survived",
		Want: []string{"the container of pod joined should see the devices of its claim and no others", "the missing elements were"},
	},
	"driver keeps the claims of an older checkpoint": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "older-checkpoint-is-survived",
		Want: []string{"claim before should be prepared: false"},
	},
}
