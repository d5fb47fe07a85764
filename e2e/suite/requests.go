package suite

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// StartRequestUsers creates a claim and a pod of the same name. The main
// container of the pod uses the whole claim. For each request there is another
// container, with the name of the request, that uses only this request.
func (e *Env) StartRequestUsers(ctx context.Context, name string, requests []Request) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, and a pod with a container for each of its requests", name))
	claim, err := e.Claim(ctx, name, Devices(requests))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = e.Pod(ctx, name, PodOptions{Change: func(pod *corev1.PodSpec) {
		for _, request := range requests {
			pod.Containers = append(pod.Containers, naming(request.Name, pod.Containers[0], request.Name))
		}
	}}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// naming returns a container that uses one request of its claim.
func naming(name string, like corev1.Container, request string) corev1.Container {
	user := *like.DeepCopy()
	user.Name, user.Resources.Claims[0].Request = name, request
	return user
}

// DevicesOf returns the devices that a claim was allocated for one of its
// requests, for any of its subrequests.
func (e *Env) DevicesOf(ctx context.Context, claim, request string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	var devices []audit.DeviceID
	for _, r := range e.Allocation(ctx, claim).Results {
		if of, _, _ := strings.Cut(r.Request, "/"); of == request {
			devices = append(devices, audit.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device})
		}
	}
	return devices
}

// TryNaming creates, as a dry run, a pod whose container uses one request of a
// claim. It returns the error of the API server.
func (e *Env) TryNaming(ctx context.Context, claim, request string) error {
	ginkgo.GinkgoHelper()
	pod := e.pod("try")
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &claim}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "devices", Request: request}}
	_, err := e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
