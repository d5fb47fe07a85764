// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// forward connects to a port of a pod through the API server and the kubelet, as
// "kubectl port-forward" does. Unlike the pod proxy, this needs no route from the
// API server to the network of pods, which many clusters do not have, and reaches
// servers on the loopback address of the pod.
func forward(config *rest.Config, pods rest.Interface, pod *corev1.Pod, port int) (net.Conn, error) {
	dialer, err := newDialer(config, pods, pod)
	if err != nil {
		return nil, fmt.Errorf("connect to pod %s: %w", pod.Name, err)
	}
	connection, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("connect to pod %s: %w", pod.Name, err)
	}
	forwarded, err := openStreams(connection, port)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to port %d of pod %s: %w", port, pod.Name, err), connection.Close())
	}
	return forwarded, nil
}

// newDialer returns a dialer that tunnels SPDY through a web socket, or uses SPDY
// alone if a server or a proxy does not support that.
func newDialer(config *rest.Config, pods rest.Interface, pod *corev1.Pod) (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	url := pods.Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("portforward").URL()
	plain := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	tunnel, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialerForStreaming(tunnel, plain, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// openStreams opens the two streams of a forwarded connection.
func openStreams(connection httpstream.Connection, port int) (net.Conn, error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(port))
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	failures, err := connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	// Nothing is written to the stream for errors.
	if err := failures.Close(); err != nil {
		return nil, err
	}
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := connection.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	return &forwardedConn{Stream: data, failures: failures, connection: connection}, nil
}

// forwardedConn is a connection to a port of a pod.
type forwardedConn struct {
	httpstream.Stream
	failures   io.Reader
	connection httpstream.Connection
	received   bool
}

// Read returns the error of the kubelet if the port cannot be reached. Otherwise
// the connection would only seem to be closed.
func (c *forwardedConn) Read(p []byte) (int, error) {
	n, err := c.Stream.Read(p)
	c.received = c.received || n > 0
	if errors.Is(err, io.EOF) && !c.received {
		message, _ := io.ReadAll(io.LimitReader(c.failures, 1<<10))
		if len(message) > 0 {
			return n, errors.New(string(message))
		}
	}
	return n, err
}

// Close closes the streams with their connection.
func (c *forwardedConn) Close() error { return c.connection.Close() }

// The methods below complete net.Conn. Requests are limited by their context,
// which closes the connection.

func (*forwardedConn) LocalAddr() net.Addr              { return address{} }
func (*forwardedConn) RemoteAddr() net.Addr             { return address{} }
func (*forwardedConn) SetDeadline(time.Time) error      { return nil }
func (*forwardedConn) SetReadDeadline(time.Time) error  { return nil }
func (*forwardedConn) SetWriteDeadline(time.Time) error { return nil }

// address is the address of a forwarded connection, which has none.
type address struct{}

func (address) Network() string { return "portforward" }
func (address) String() string  { return "pod" }

// log opens the log of a container.
func (c Client) log(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	if c.openLog != nil {
		return c.openLog(ctx, pod, options)
	}
	return c.Kubernetes.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
}

// dial connects to a port of a pod.
func (c Client) dial(pod *corev1.Pod, port int) (net.Conn, error) {
	if c.connect != nil {
		return c.connect(pod, port)
	}
	return forward(c.Config, c.Kubernetes.CoreV1().RESTClient(), pod, port)
}
