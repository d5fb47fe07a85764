package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var preparedAndReleased = forEachKind("is-prepared-and-released",
	"sees only this device. The driver prepares it before the pod runs and unprepares it afterwards, so that another pod can have it.",
	ofAllKinds(
		"4381-prepared-before-containers",
		"4381-claim-named",
		"4381-cdi-devices-reach-containers",
		"4381-unprepared-after-last-pod",
		"4381-unprepare-undoes-prepare",
		"4381-reservations-end",
	).and(proofs{
		subject.KindMultiHost: {"4815-pods-share-a-multi-host-device"},
	}),
	[]suite.Need{suite.NeedsDrivers},
	func(ctx context.Context, e *suite.Env, k kind) {
		before := k.start(ctx, e, "before", suite.PodOptions{})
		for _, container := range before.containers {
			e.Prepared(ctx, before.device.Driver, container.Node, before.claim, true)
		}
		before.areReplaced(ctx, e)
	})
