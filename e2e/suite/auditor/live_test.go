// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package auditor_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// The auditor watches claims and pods in a fake cluster while they are created,
// run and are deleted.
func TestAuditorOfACluster(t *testing.T) {
	for name, test := range map[string]struct {
		mistakes fakecluster.SchedulerMistakes
		want     []audit.Rule
	}{
		"right":             {want: nil},
		"counters ignored":  {fakecluster.SchedulerMistakes{IgnoresCounters: true}, []audit.Rule{audit.CountersSuffice}},
		"claims forgotten":  {fakecluster.SchedulerMistakes{ForgetsClaims: true}, []audit.Rule{audit.DeviceOnce, audit.CountersSuffice}},
		"devices invented":  {fakecluster.SchedulerMistakes{InventsDevices: true}, []audit.Rule{audit.DeviceOffered, audit.DeviceOnce}},
		"requests skipped":  {fakecluster.SchedulerMistakes{SkipsRequests: true}, []audit.Rule{audit.RequestSatisfied}},
		"selectors ignored": {fakecluster.SchedulerMistakes{IgnoresSelectors: true}, []audit.Rule{audit.SelectorAccepts}},
		"class config lost": {fakecluster.SchedulerMistakes{LosesClassConfig: true}, []audit.Rule{audit.ConfigurationCopied}},
		"parents spread":    {fakecluster.SchedulerMistakes{SpreadsParents: true}, []audit.Rule{audit.AttributesMatch}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			broken := map[audit.Rule]bool{}
			for _, alarm := range liveAlarms(t, fakecluster.Options{GPUs: 2, Mistakes: fakecluster.MistakesOf(test.mistakes)}) {
				broken[alarm.Rule] = true
			}
			g.Expect(broken).To(HaveLen(len(test.want)), "%v", broken)
			for _, rule := range test.want {
				g.Expect(broken).To(HaveKey(rule))
			}
		})
	}
}

const mig = "mig.example.com"

// liveAlarms runs three pods that compete for two GPUs, and then another three.
func liveAlarms(t *testing.T, o fakecluster.Options) []audit.Alarm {
	t.Helper()
	g := NewWithT(t)
	cluster, err := fakecluster.New(o)
	g.Expect(err).NotTo(HaveOccurred())
	client := cluster.Client()
	class, err := client.ResourceV1().DeviceClasses().Get(t.Context(), mig, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: mig, Parameters: runtime.RawExtension{Raw: []byte(`{}`)},
	}}}}
	_, err = client.ResourceV1().DeviceClasses().Update(t.Context(), class, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	auditor := audit.New(audit.Config{})
	var alarms []audit.Alarm
	read := func() {
		v, err := audit.Read(t.Context(), client)
		g.Expect(err).NotTo(HaveOccurred())
		alarms = append(alarms, auditor.Audit(t.Context(), v)...)
	}
	read()
	for range 2 {
		for _, name := range []string{"a", "b", "whole"} {
			create(t, client, name)
			read()
		}
		read()
		for _, name := range []string{"a", "b", "whole"} {
			g.Expect(client.CoreV1().Pods("ns").Delete(t.Context(), name, metav1.DeleteOptions{})).To(Succeed())
			g.Expect(client.ResourceV1().ResourceClaims("ns").Delete(t.Context(), name, metav1.DeleteOptions{})).To(Succeed())
			read()
		}
	}
	return alarms
}

// create creates a pod and its claim, which requests two partitions of 3g.20gb
// of one parent, which use up a GPU, or a whole GPU.
func create(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	g := NewWithT(t)
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}}
	big := fmt.Sprintf(`device.attributes[%q].type == "mig" && device.attributes[%q].profile == "3g.20gb"`, mig, mig)
	claim.Spec.Devices = resourceapi.DeviceClaim{
		Requests:    []resourceapi.DeviceRequest{request("one", big), request("two", big)},
		Constraints: []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName](mig + "/parentUUID")}},
	}
	if name == "whole" {
		claim.Spec.Devices = resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{
			request("one", fmt.Sprintf(`device.attributes[%q].type == "gpu"`, mig)),
		}}
	}
	_, err := client.ResourceV1().ResourceClaims("ns").Create(t.Context(), claim, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = client.CoreV1().Pods("ns").Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"},
		Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "workload"}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &name}},
		},
	}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
}

// request requests one device that an expression selects.
func request(name, expression string) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: mig, Count: 1, AllocationMode: resourceapi.DeviceAllocationModeExactCount,
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
	}}
}
