package specs

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var restartedContainerSeesDevices = suite.Spec{
	ID:           "restarted-container-sees-devices",
	Sentence:     "A container that exits and is restarted sees the same device as before.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Requirements: []string{"4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *suite.Env) {
		pod := e.StartUsers(ctx, "pod", e.Subject.Exclusive.Device, 1, suite.PodOptions{Restarts: true, Change: func(pod *corev1.PodSpec) {
			pod.Containers[0] = suite.Once("workload", pod.Containers[0])
		}})[0]
		e.Sees(ctx, pod, "workload", e.StartedAgain(ctx, pod))
	},
}
