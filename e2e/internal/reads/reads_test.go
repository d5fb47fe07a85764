// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package reads_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/internal/reads"
)

// answer is what a request returns.
type answer func() (*http.Response, error)

// status answers with a Status, as an API server does.
func status(code int, reason metav1.StatusReason, message string) answer {
	return content(code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q}`, code, reason, message))
}

func content(code int, body string) answer {
	return func() (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func fails(err error) answer { return func() (*http.Response, error) { return nil, err } }

// breaking answers with a body that cannot be read to its end.
func breaking(err error) answer {
	return func() (*http.Response, error) {
		response, _ := pod()
		response.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"kind":`), broken{err}))
		return response, nil
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

var (
	pod      = content(http.StatusOK, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"one"}}`)
	timedOut = status(http.StatusInternalServerError, metav1.StatusReasonUnknown, "etcdserver: request timed out")
	refused  = fails(fmt.Errorf("dial tcp: connect: %w", syscall.ECONNREFUSED))
)

// server is an API server with a list of answers. The last one is that to all further
// requests.
type server struct {
	answers []answer
	// sent has the time of each request since the start.
	sent    []time.Duration
	started time.Time
	// bodies are the contents of the requests.
	bodies []string
}

func (s *server) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		s.bodies = append(s.bodies, string(body))
	}
	s.sent = append(s.sent, time.Since(s.started))
	return s.answers[min(len(s.sent), len(s.answers))-1]()
}

// in runs a test with a client of a server. The time of the test passes only while it
// waits.
func in(t *testing.T, answers []answer, test func(context.Context, *WithT, *server, kubernetes.Interface)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		s := &server{answers: answers, started: time.Now()}
		config := &rest.Config{Host: "http://api.example.com", Transport: s, QPS: -1}
		config.Wrap(reads.Repeat)
		client, err := kubernetes.NewForConfig(config)
		g.Expect(err).NotTo(HaveOccurred())
		test(t.Context(), g, s, client)
	})
}

func get(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().Pods("ns").Get(ctx, "one", metav1.GetOptions{})
	return err
}

func TestReadsThatFailForAMomentSucceed(t *testing.T) {
	for name, answers := range map[string][]answer{
		"etcd does not answer":          {timedOut, pod},
		"no etcd leader twice":          {timedOut, timedOut, pod},
		"too many requests":             {status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down"), pod},
		"unavailable":                   {content(http.StatusServiceUnavailable, "no backend"), pod},
		"a load balancer":               {content(http.StatusBadGateway, "bad gateway"), pod},
		"a timeout of the API server":   {status(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "timed out"), pod},
		"a refused connection":          {refused, refused, pod},
		"a timeout of the connection":   {fails(fmt.Errorf("TLS handshake: %w", os.ErrDeadlineExceeded)), pod},
		"an answer that breaks off":     {breaking(errors.New("stream error: stream ID 5; INTERNAL_ERROR")), pod},
		"an answer that ends too early": {breaking(io.ErrUnexpectedEOF), pod},
		"different failures":            {refused, timedOut, breaking(io.ErrUnexpectedEOF), refused, pod},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, answers, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
				g.Expect(get(ctx, client)).To(Succeed())
				g.Expect(s.sent).To(HaveLen(len(answers)))
			})
		})
	}
}

// What client-go repeats is not repeated twice over.
func TestClientRepeats(t *testing.T) {
	busy := func() (*http.Response, error) {
		response, err := status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down")()
		response.Header.Set("Retry-After", "3")
		return response, err
	}
	const repeats = 10 // of client-go
	for name, test := range map[string]struct {
		answer answer
		pause  time.Duration
	}{
		"a Retry-After header": {busy, 3 * time.Second},
		"a broken connection":  {fails(fmt.Errorf("read tcp: %w", syscall.ECONNRESET)), time.Second},
		"a broken answer":      {breaking(fmt.Errorf("read tcp: %w", syscall.ECONNRESET)), time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, []answer{test.answer, pod}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
				g.Expect(get(ctx, client)).To(Succeed())
				g.Expect(s.sent).To(Equal([]time.Duration{0, test.pause}))
			})
			in(t, []answer{test.answer}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
				g.Expect(get(ctx, client)).NotTo(Succeed())
				g.Expect(s.sent).To(HaveLen(1 + repeats))
			})
		})
	}
}

func TestReadsThatKeepFailingFailWithTheirError(t *testing.T) {
	pauses := []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond, 7500 * time.Millisecond}
	slow := func() (*http.Response, error) {
		<-time.After(8 * time.Second)
		return timedOut()
	}
	for name, test := range map[string]struct {
		answer answer
		sent   []time.Duration
		want   string
	}{
		"etcd":      {timedOut, pauses, "etcdserver: request timed out"},
		"refused":   {refused, pauses, "connection refused"},
		"broken":    {breaking(errors.New("stream error")), pauses, "read the answer to its end: stream error"},
		"slow":      {slow, []time.Duration{0, 8500 * time.Millisecond}, "etcdserver: request timed out"},
		"not found": {status(http.StatusNotFound, metav1.StatusReasonNotFound, `pods "one" not found`), pauses[:1], `pods "one" not found`},
		"forbidden": {status(http.StatusForbidden, metav1.StatusReasonForbidden, "no rights"), pauses[:1], "no rights"},
		"expired":   {status(http.StatusGone, metav1.StatusReasonExpired, "too old"), pauses[:1], "too old"},
		"unknown":   {fails(errors.New("x509: certificate signed by unknown authority")), pauses[:1], "unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, []answer{test.answer}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
				g.Expect(get(ctx, client)).To(MatchError(ContainSubstring(test.want)))
				g.Expect(s.sent).To(Equal(test.sent))
			})
		})
	}
}

// A read ends with its context, and still tells what the API server has answered.
func TestRepeatedReadsEndWithTheirContext(t *testing.T) {
	in(t, []answer{timedOut}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		g.Expect(get(ctx, client)).To(MatchError(ContainSubstring("etcdserver: request timed out")))
		g.Expect(s.sent).To(HaveLen(2))
		g.Expect(time.Since(s.started)).To(Equal(time.Second))
	})
}

func TestOtherRequestsAreSentOnce(t *testing.T) {
	for name, request := range map[string]func(context.Context, kubernetes.Interface) error{
		"a write": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().Pods("ns").Create(ctx, &corev1.Pod{}, metav1.CreateOptions{})
			return err
		},
		"a watch": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().Pods("ns").Watch(ctx, metav1.ListOptions{})
			return err
		},
		"a log": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().Pods("ns").GetLogs("one", &corev1.PodLogOptions{}).DoRaw(ctx)
			return err
		},
		"a request to a pod": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().Pods("ns").ProxyGet("http", "one", "8080", "/calls", nil).DoRaw(ctx)
			return err
		},
		"a check of health": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
			return err
		},
		"a read to find out whether there is an answer": func(ctx context.Context, client kubernetes.Interface) error {
			return get(reads.Once(ctx), client)
		},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, []answer{timedOut}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
				g.Expect(request(ctx, client)).NotTo(Succeed())
				g.Expect(s.sent).To(HaveLen(1))
			})
		})
	}
}
