// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/nodeagent/client"
)

func TestInstall(t *testing.T) {
	c := newCluster(t)
	agents, err := client.Install(t.Context(), c, options, "node-1", "node-2")
	c.Expect(err).NotTo(HaveOccurred())
	created, err := c.fake.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(created.Labels).To(And(HaveKeyWithValue("draconform.dev/run", "run-1"), HaveKeyWithValue("pod-security.kubernetes.io/enforce", "privileged")))
	c.Expect(c.pods()).To(And(HaveLen(2), HaveKey("node-1"), HaveKey("node-2")))
	for _, pod := range c.pods() {
		c.Expect(pod.Labels).To(HaveKeyWithValue("draconform.dev/run", "run-1"))
	}

	again, err := client.Install(t.Context(), c, options, "node-1", "node-2")
	c.Expect(err).NotTo(HaveOccurred(), "a second installation of the same run changes nothing")
	files, err := again.CDIFiles(t.Context(), "node-2")
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(files).To(BeEmpty())
	found, err := agents.Registrations(t.Context(), "node-1", driver)
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(found.Plugins).To(BeEmpty())

	// Another process of the run finds the agents by the options.
	other, err := client.Connect(c, options)
	c.Expect(err).NotTo(HaveOccurred())
	_, err = other.Prepare(t.Context(), "node-1", api.Calls{Driver: driver, Calls: [][]api.Claim{{}}})
	c.Expect(err).To(MatchError(api.ErrNotRegistered))
	c.Expect(err).To(MatchError(HaveSuffix("pod draconform-agent/" + c.pods()["node-1"].Name + ": driver gpu.example.com has not registered with the kubelet")))
	_, err = other.Unprepare(t.Context(), "node-1", api.Calls{Driver: "other.example.com"})
	c.Expect(err).To(MatchError(api.ErrInvalid))
	c.Expect(other.HideCDIFiles(t.Context(), "node-1", api.CDIFileVersions{Files: []api.CDIFileVersion{{Path: "/etc/passwd"}}})).To(MatchError(api.ErrInvalid))
	c.Expect(other.RestoreCDIFiles(t.Context(), "node-1", []string{"/etc/passwd"})).To(MatchError(api.ErrInvalid))
	_, err = other.KubeletClaims(t.Context(), "node-1")
	c.Expect(err).To(MatchError(ContainSubstring("read the kubelet's checkpoint")))
	_, err = other.Health(t.Context(), "no-node", api.HealthRequest{Driver: driver})
	c.Expect(err).To(MatchError(ContainSubstring("node agent on no-node")))
}

// The pod has what it needs to connect to sockets of the node, and no more.
func TestPodHasLeastPrivileges(t *testing.T) {
	c := newCluster(t)
	_, err := client.Install(t.Context(), c, options, "node-1")
	c.Expect(err).NotTo(HaveOccurred())
	spec := c.pods()["node-1"].Spec
	c.Expect(*spec.AutomountServiceAccountToken).To(BeFalse())
	c.Expect(spec.HostNetwork || spec.HostPID || spec.HostIPC).To(BeFalse())
	c.Expect(spec.Tolerations).To(Equal([]corev1.Toleration{{Operator: corev1.TolerationOpExists}}))
	container := spec.Containers[0]
	c.Expect(container.SecurityContext.Privileged).To(BeNil())
	c.Expect(container.SecurityContext.Capabilities.Drop).To(ConsistOf(corev1.Capability("ALL")))
	c.Expect(container.SecurityContext.Capabilities.Add).To(ConsistOf(corev1.Capability("DAC_OVERRIDE")))
	for _, mount := range container.VolumeMounts {
		c.Expect(mount.ReadOnly).To(Equal(mount.MountPath != "/var/run/cdi"), mount.Name)
	}
	c.Expect(container.Resources.Requests).To(And(HaveKey(corev1.ResourceCPU), HaveKey(corev1.ResourceMemory)))
	c.Expect(container.Resources.Limits).To(And(HaveKey(corev1.ResourceCPU), HaveKey(corev1.ResourceMemory)))
	c.Expect(container.Image).To(Equal("draconform.dev/nodeagent:dev"))
	c.Expect(container.Args).To(Equal([]string{"--kubelet-dir=/var/lib/kubelet", "--token-file=/etc/draconform/agent/token", "--driver=gpu.example.com"}))
	secret, err := c.fake.CoreV1().Secrets(namespace).Get(t.Context(), "node-agent", metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(len(secret.Data["token"])).To(BeNumerically(">=", 26))
	for _, text := range append(container.Args, container.Command...) {
		c.Expect(text).NotTo(ContainSubstring(string(secret.Data["token"])))
	}
	c.Expect(container.Env).To(BeEmpty())
}

// rejectPods makes the API server reject pods.
func (c *cluster) rejectPods(err error) {
	c.fake.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err })
}

func TestAdmissionRejectsThePod(t *testing.T) {
	c := newCluster(t)
	c.rejectPods(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "p", errors.New(`violates PodSecurity "restricted:latest"`)))
	_, err := client.Install(t.Context(), c, options, "node-1")
	c.Expect(err).To(MatchError(And(
		ContainSubstring("pod for node node-1 in namespace draconform-agent"), ContainSubstring(`violates PodSecurity "restricted:latest"`),
		ContainSubstring("allow that in namespace draconform-agent"), ContainSubstring("or run without --node-agent"))))
	c.Expect(client.Remove(t.Context(), c, options)).To(Succeed())
	_, err = c.fake.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	c.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "an installation that failed can be removed")
}

// A user without permissions is not sent to the admission policies.
func TestUserMayNotCreatePods(t *testing.T) {
	c := newCluster(t)
	c.rejectPods(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New(`User "vendor" cannot create resource "pods" in API group "" in the namespace "draconform-agent"`)))
	_, err := client.Install(t.Context(), c, options, "node-1")
	c.Expect(err).To(MatchError(And(ContainSubstring(`User "vendor" cannot create`), Not(ContainSubstring("--node-agent")))))
}

func TestForeignNamespaceIsKept(t *testing.T) {
	foreign := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"draconform.dev/run": "run-2"}}}
	c := newCluster(t, foreign)
	_, err := client.Install(t.Context(), c, options, "node-1")
	c.Expect(err).To(MatchError(ContainSubstring(`does not belong to run run-1: label draconform.dev/run is "run-2"`)))
	c.Expect(c.pods()).To(BeEmpty())
	c.Expect(client.Remove(t.Context(), c, options)).To(MatchError(ContainSubstring("does not belong to run run-1")))
	_, err = c.fake.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
}

func TestForeignSecretIsNotUsed(t *testing.T) {
	c := newCluster(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "node-agent"}, Data: map[string][]byte{"token": []byte("x")}})
	agents, err := client.Connect(c, options)
	c.Expect(err).NotTo(HaveOccurred())
	_, err = agents.CDIFiles(t.Context(), "node-1")
	c.Expect(err).To(MatchError(ContainSubstring("does not belong to run run-1")))
	c.Expect(c.paths).To(BeEmpty())
}

// The error tells what the pod waits for.
func TestAgentDoesNotStart(t *testing.T) {
	c := newCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	c.fake.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		pod.Status.Phase = corev1.PodPending
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no such image"}}}}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.broken[pod.Name] = true
		return false, nil, nil
	})
	_, err := client.Install(ctx, c, options, "node-1")
	c.Expect(err).To(MatchError(And(ContainSubstring("node agent on node node-1"), ContainSubstring("Pending"), ContainSubstring("ErrImagePull no such image"))))
	c.Expect(err).To(MatchError(context.DeadlineExceeded))
}

func TestRemoveWithoutInstallation(t *testing.T) {
	c := newCluster(t)
	c.Expect(client.Remove(t.Context(), c, options)).To(Succeed())
}

func TestInvalidOptions(t *testing.T) {
	for part, change := range map[string]func(*client.Options){
		`"" is not a valid run id`:        func(o *client.Options) { o.RunID = "" },
		`"A b" is not a valid namespace`:  func(o *client.Options) { o.Namespace = "A b" },
		"there is no driver":              func(o *client.Options) { o.Drivers = nil },
		`"A" is not the name of a driver`: func(o *client.Options) { o.Drivers = []string{"A"} },
		`"lib" is not an absolute path`:   func(o *client.Options) { o.KubeletDir = "lib" },
	} {
		invalid := options
		change(&invalid)
		_, err := client.Connect(newCluster(t), invalid)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(part)))
	}
}
