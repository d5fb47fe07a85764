// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// isPreparedAndReleased creates pods that use one device on each of its nodes,
// compares the driver's prepared claims and CDI files with the claims, and
// deletes the pods, of a device of several nodes one of them first. New pods then use a
// device on the same node.
var isPreparedAndReleased = forEachKind(
	[]string{"exclusive-is-prepared-and-released", "multi-host-is-prepared-and-released", "shared-is-prepared-and-released"},
	"runs with this device. The driver prepares it before the pod runs and unprepares it afterwards, so that another pod can have it.",
	ofAllKinds(
		"4381-unprepared-after-last-pod",
		"4381-unprepare-undoes-prepare",
		"4381-reservations-end",
	).and(proofs{
		subject.KindMultiHost: {"4815-pods-share-a-multi-host-device"},
	}),
	nil,
	func(ctx context.Context, e *env.Env, k kind) {
		before := k.start(ctx, e, "before", pods.Options{})
		for _, container := range before.containers {
			drivers.WaitForPrepared(ctx, e, before.device.Driver, container.Node, before.claim)
		}
		before.deleteFirst(ctx, e)
		before.replace(ctx, e)
	})
