package specs

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var initContainersSeeDevices = suite.Spec{
	ID:           "init-containers-see-devices",
	Sentence:     "Init containers and containers of a pod see the device of a claim that they reference. Containers that do not reference it see none.",
	Profile:      driver,
	Smoke:        true,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Requirements: []string{"4381-other-containers-get-nothing"},
	Body: func(ctx context.Context, e *suite.Env) {
		pod := e.StartUsers(ctx, "pod", e.Subject.Exclusive.Device, 1, suite.PodOptions{Change: func(pod *corev1.PodSpec) {
			user := suite.Once("init-user", pod.Containers[0])
			bystander := suite.Once("init-bystander", pod.Containers[0])
			bystander.Resources.Claims = nil
			pod.InitContainers = []corev1.Container{bystander, user}
		}})[0]
		devices := e.Runs(ctx, pod)
		e.Sees(ctx, pod, "init-user", devices)
		e.Sees(ctx, pod, "init-bystander", nil)
	},
}
