// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"bytes"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	typedresourcev1beta1 "k8s.io/client-go/kubernetes/typed/resource/v1beta1"
	typedresourcev1beta2 "k8s.io/client-go/kubernetes/typed/resource/v1beta2"
	"k8s.io/client-go/rest"
	fakerest "k8s.io/client-go/rest/fake"

	"github.com/draconform/draconform/e2e/internal/access"
)

// client extends the fake clientset by logs and by untyped requests. The
// reactors of the fake clientset do not receive the name of the pod whose log
// is requested.
type client struct {
	*fake.Clientset
	cluster *Cluster
}

func (c client) CoreV1() typedcorev1.CoreV1Interface {
	return coreClient{c.Clientset.CoreV1(), c.cluster}
}

func (c client) ResourceV1() typedresourcev1.ResourceV1Interface {
	return resourceClient{c.Clientset.ResourceV1(), c.cluster}
}

func (c client) ResourceV1beta1() typedresourcev1beta1.ResourceV1beta1Interface {
	return untypedV1beta1{c.Clientset.ResourceV1beta1(), c.cluster}
}

func (c client) ResourceV1beta2() typedresourcev1beta2.ResourceV1beta2Interface {
	return untypedV1beta2{c.Clientset.ResourceV1beta2(), c.cluster}
}

type (
	resourceClient struct {
		typedresourcev1.ResourceV1Interface
		cluster *Cluster
	}
	untypedV1beta1 struct {
		typedresourcev1beta1.ResourceV1beta1Interface
		cluster *Cluster
	}
	untypedV1beta2 struct {
		typedresourcev1beta2.ResourceV1beta2Interface
		cluster *Cluster
	}
)

func (r resourceClient) RESTClient() rest.Interface { return r.cluster.untyped("v1") }

func (r untypedV1beta1) RESTClient() rest.Interface { return r.cluster.untyped("v1beta1") }

func (r untypedV1beta2) RESTClient() rest.Interface { return r.cluster.untyped("v1beta2") }

// untyped returns a client for objects of resource.k8s.io as JSON.
func (c *Cluster) untyped(version string) rest.Interface {
	of := schema.GroupVersion{Group: resourceapi.GroupName, Version: version}
	return restClient(of, http.StatusOK, func(request *http.Request) ([]byte, error) { return c.answerUntyped(version, request) })
}

type coreClient struct {
	typedcorev1.CoreV1Interface
	cluster *Cluster
}

// RESTClient returns a client for pods as JSON. No other component reads those.
func (c coreClient) RESTClient() rest.Interface {
	return restClient(corev1.SchemeGroupVersion, http.StatusOK, func(request *http.Request) ([]byte, error) { return c.cluster.answerUntyped("v1", request) })
}

func (c coreClient) Pods(namespace string) typedcorev1.PodInterface {
	return podClient{c.CoreV1Interface.Pods(namespace), c.cluster, namespace}
}

type podClient struct {
	typedcorev1.PodInterface
	cluster   *Cluster
	namespace string
}

func (p podClient) GetLogs(name string, options *corev1.PodLogOptions) *rest.Request {
	p.cluster.requests.add(access.Request{Verb: "get", Resource: "pods/log", Namespace: p.namespace})
	return restClient(corev1.SchemeGroupVersion, http.StatusOK, func(*http.Request) ([]byte, error) {
		return p.cluster.log(p.namespace, name, options.Container)
	}).Request()
}

// restClient returns a client that answers each request with the status and
// what answer returns.
func restClient(version schema.GroupVersion, status int, answer func(*http.Request) ([]byte, error)) *fakerest.RESTClient {
	return &fakerest.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		GroupVersion:         version,
		Client: fakerest.CreateHTTPClient(func(request *http.Request) (*http.Response, error) {
			body, err := answer(request)
			if err != nil {
				return nil, err
			}
			header := http.Header{"Content-Type": []string{"application/json"}}
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}, nil
		}),
	}
}
