#import <AFNetworking/AFNetworking.h>

// snippet: begin
@class ArticleStore;

@protocol ArticleStoreDelegate <NSObject>
- (void)articleStore:(ArticleStore *)store didLoadTitles:(NSArray *)titles;
- (void)articleStore:(ArticleStore *)store didFailWithError:(NSError *)error;
@end

@interface ArticleStore : NSObject
@property (nonatomic, weak) id<ArticleStoreDelegate> delegate;
+ (instancetype)sharedStore;
- (instancetype)initWithBaseURL:(NSURL *)baseURL;
- (NSNumber *)loadSection:(NSString *)section error:(NSError **)error;
- (void)cancelLoad:(NSNumber *)key;
@end

@implementation ArticleStore {
    AFHTTPRequestOperationManager *_manager;
    NSMutableDictionary *_running;
}

+ (instancetype)sharedStore {
    static ArticleStore *store;
    static dispatch_once_t once;
    dispatch_once(&once, ^{
        store = [[self alloc] initWithBaseURL:[NSURL URLWithString:@"http://api.example.com/v1/"]];
    });
    return store;
}

- (instancetype)initWithBaseURL:(NSURL *)baseURL {
    if ((self = [super init])) {
        _manager = [[AFHTTPRequestOperationManager alloc] initWithBaseURL:baseURL];
        _manager.requestSerializer = [AFHTTPRequestSerializer serializer];
        _running = [NSMutableDictionary dictionary];
    }
    return self;
}

- (NSNumber *)loadSection:(NSString *)section error:(NSError **)error {
    NSString *address = [[NSURL URLWithString:@"articles" relativeToURL:_manager.baseURL] absoluteString];
    NSURLRequest *request = [_manager.requestSerializer requestWithMethod:@"GET"
                                                                URLString:address
                                                               parameters:@{@"section": section}
                                                                    error:error];
    if (!request) {
        return nil;
    }
    AFHTTPRequestOperation *operation = [_manager
        HTTPRequestOperationWithRequest:request
        success:^(AFHTTPRequestOperation *operation, id responseObject) {
            [self forget:operation];
            [self.delegate articleStore:self didLoadTitles:[responseObject valueForKey:@"title"]];
        }
        failure:^(AFHTTPRequestOperation *operation, NSError *error) {
            [self forget:operation];
            [self.delegate articleStore:self didFailWithError:error];
        }];
    NSNumber *key = @([operation hash]);
    @synchronized (self) {
        _running[key] = operation;
    }
    [_manager.operationQueue addOperation:operation];
    return key;
}

- (void)cancelLoad:(NSNumber *)key {
    AFHTTPRequestOperation *operation;
    @synchronized (self) {
        operation = _running[key];
    }
    [operation cancel];
}

- (void)forget:(AFHTTPRequestOperation *)operation {
    @synchronized (self) {
        [_running removeObjectForKey:@([operation hash])];
    }
}
@end
// snippet: end
